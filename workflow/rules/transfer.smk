"""Carrying a source network over to a target game, and training it further there."""


rule channel_mapping:
    output:
        "results/{experiment}/mapping/{source}--{target}.json",
    log:
        "logs/{experiment}/channel_mapping/{source}--{target}.log",
    priority: 2
    conda:
        "../../envs/crossplay.yaml"
    params:
        source=lambda wildcards: game_arguments(
            wildcards.source, "--source", "--source-option"
        ),
        target=lambda wildcards: game_arguments(
            wildcards.target, "--target", "--target-option"
        ),
        layout=layout_arguments(),
        seed=config["seed"],
        code=code_of(*CHANNELS),
        rules=lambda wildcards: rules_of(wildcards.source, wildcards.target),
    message:
        "Matching the channels of {wildcards.source} and {wildcards.target}"
    shell:
        "crossplay map-channels {params.source} --source-key={wildcards.source:q}"
        " {params.target} --target-key={wildcards.target:q} {params.layout}"
        " --seed={params.seed:q} --experiment={wildcards.experiment:q} --output={output:q}"
        " > {log:q} 2>&1"


rule transfer:
    input:
        model="results/{experiment}/source/{source}/model.safetensors",
        mapping="results/{experiment}/mapping/{source}--{target}.json",
    output:
        "results/{experiment}/transfer/{source}--{target}/{mode}.safetensors",
    log:
        "logs/{experiment}/transfer/{source}--{target}/{mode}.log",
    priority: 2
    conda:
        "../../envs/crossplay.yaml"
    params:
        target=lambda wildcards: game_arguments(
            wildcards.target, "--target", "--target-option"
        ),
        network=section("network"),
        seed=config["seed"],
        code=code_of(*TRANSFER),
    message:
        "Carrying {wildcards.source} over to {wildcards.target} ({wildcards.mode})"
    shell:
        "crossplay transfer --model={input.model:q} --mapping={input.mapping:q}"
        " --source-key={wildcards.source:q} {params.target} --target-key={wildcards.target:q}"
        " --mode={wildcards.mode:q} --network={params.network:q} --seed={params.seed:q}"
        " --experiment={wildcards.experiment:q} --output={output:q} > {log:q} 2>&1"


rule fine_tune:
    input:
        "results/{experiment}/transfer/{source}--{target}/{mode}.safetensors",
    output:
        "results/{experiment}/finetune/{source}--{target}/{mode}/model.safetensors",
    log:
        "logs/{experiment}/fine_tune/{source}--{target}/{mode}.log",
    wildcard_constraints:
        mode="fine-tune|fine-tune-reinit",
    priority: 1
    conda:
        "../../envs/crossplay.yaml"
    threads: processors("target")
    resources:
        gpu=gpus("target"),
        mem_mb=4000 + 4000 * gpus("target"),
        runtime=minutes("target"),
        launcher="",
    params:
        settings=section("training", "target"),
        seed=config["seed"],
        folder=folder_of_output,
        code=code_of(*TRAINING),
    message:
        "Training {wildcards.source}'s network on {wildcards.target} ({wildcards.mode})"
    shell:
        "{resources.launcher} crossplay fine-tune --model={input:q} --source-key={wildcards.source:q}"
        " --target-key={wildcards.target:q} --mode={wildcards.mode:q} --config={params.settings:q}"
        " --seed={params.seed:q} --experiment={wildcards.experiment:q} --output={params.folder:q}"
        " > {log:q} 2>&1"
