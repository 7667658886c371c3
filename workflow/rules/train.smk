"""Self-play training from random parameters: the sources, and the yardsticks for the targets."""


rule train_source:
    output:
        "results/{experiment}/source/{game}/model.safetensors",
    log:
        "logs/{experiment}/train_source/{game}.log",
    priority: 3  # longest chains of jobs first
    conda:
        "../../envs/crossplay.yaml"
    threads: processors("source")
    resources:
        gpu=gpus("source"),
        mem_mb=4000 + 4000 * gpus("source"),
        runtime=minutes("source"),
        launcher="",
    params:
        role="source",
        game=lambda wildcards: game_arguments(wildcards.game),
        layout=layout_arguments(),
        network=section("network"),
        settings=section("training", "source"),
        seed=config["seed"],
        folder=folder_of_output,
        code=code_of(*TRAINING),
        rules=lambda wildcards: rules_of(wildcards.game),
    message:
        "Learning {wildcards.game} by self-play"
    shell:
        "{resources.launcher} crossplay train {params.game} {params.layout} --key={wildcards.game:q}"
        " --role={params.role:q} --network={params.network:q} --config={params.settings:q}"
        " --seed={params.seed:q} --experiment={wildcards.experiment:q} --output={params.folder:q}"
        " > {log:q} 2>&1"


use rule train_source as train_scratch with:
    output:
        "results/{experiment}/scratch/{game}/model.safetensors",
    log:
        "logs/{experiment}/train_scratch/{game}.log",
    priority: 3  # every comparison on the target waits for it
    threads: processors("target")
    resources:
        gpu=gpus("target"),
        mem_mb=4000 + 4000 * gpus("target"),
        runtime=minutes("target"),
        launcher="",
    params:
        role="scratch",
        game=lambda wildcards: game_arguments(wildcards.game),
        layout=layout_arguments(),
        network=section("network"),
        settings=section("training", "target"),
        seed=config["seed"],
        folder=folder_of_output,
        code=code_of(*TRAINING),
        rules=lambda wildcards: rules_of(wildcards.game),
