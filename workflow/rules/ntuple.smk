"""Learning 2048: each run learns, is folded if some of its tuples lie in others, and is measured."""


rule ntuple_train:
    input:
        ntuple_initial,
    output:
        model="results/{experiment}/ntuple/{run}/model.safetensors",
        curve="results/{experiment}/ntuple/{run}/curve.json",
    log:
        "logs/{experiment}/ntuple_train/{run}.log",
    priority: 2
    conda:
        "../../envs/crossplay.yaml"
    threads: lambda wildcards: NTUPLE_RUNS[wildcards.run].settings.threads
    resources:
        mem_mb=lambda wildcards: NTUPLE_RUNS[wildcards.run].learning_mb,
    params:
        settings=ntuple_settings,
        seed=ntuple_seed,
        folder=folder_of_output,
        code=code_of(*NTUPLE_LEARNING),
    message:
        "Learning 2048 ({wildcards.run})"
    shell:
        "crossplay ntuple train --allow-divergence --config={params.settings:q} --key={wildcards.run:q}"
        " --seed={params.seed:q} --experiment={wildcards.experiment:q} --output={params.folder:q}"
        " > {log:q} 2>&1"


rule ntuple_fold:
    input:
        "results/{experiment}/ntuple/{run}/model.safetensors",
    output:
        "results/{experiment}/ntuple/{run}/folded/model.safetensors",
    log:
        "logs/{experiment}/ntuple_fold/{run}.log",
    priority: 1
    conda:
        "../../envs/crossplay.yaml"
    resources:
        mem_mb=lambda wildcards: 2 * NTUPLE_RUNS[wildcards.run].playing_mb,
    params:
        seed=ntuple_seed,
        folder=folder_of_output,
        code=code_of(*NTUPLE_FOLDING),
    message:
        "Folding the network of {wildcards.run}"
    shell:
        "crossplay ntuple fold {input:q} --key={wildcards.run:q} --seed={params.seed:q}"
        " --experiment={wildcards.experiment:q} --output={params.folder:q} > {log:q} 2>&1"


rule ntuple_evaluate:
    input:
        ntuple_measured,
    output:
        "results/{experiment}/ntuple/{run}/evaluation.json",
    log:
        "logs/{experiment}/ntuple_evaluate/{run}.log",
    conda:
        "../../envs/crossplay.yaml"
    threads: config["ntuple"]["evaluation"]["threads"]
    resources:
        mem_mb=lambda wildcards: NTUPLE_RUNS[wildcards.run].playing_mb,
    params:
        settings=section("ntuple", "evaluation"),
        seed=ntuple_seed,
        code=code_of(*NTUPLE_PLAYING),
    message:
        "Playing 2048 with the network of {wildcards.run}"
    shell:
        "crossplay ntuple evaluate {input:q} --allow-divergence --config={params.settings:q} --key={wildcards.run:q}"
        " --seed={params.seed:q} --experiment={wildcards.experiment:q}"
        " --output={output:q} > {log:q} 2>&1"
