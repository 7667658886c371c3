"""Matches: every model against untrained search, and transferred models against training from scratch.

One job plays all matches of one model, because starting a job takes seconds.
"""


rule evaluate:
    input:
        unpack(evaluated_files),
    output:
        "results/{experiment}/evaluate/{player}.json",
    log:
        "logs/{experiment}/evaluate/{player}.log",
    wildcard_constraints:
        player="(source|scratch)/[^/]+|transfer/[^/]+/[^/]+",
    conda:
        "../../envs/crossplay.yaml"
    threads: config["evaluation"]["threads"]
    params:
        players=evaluated_arguments,
        settings=section("evaluation"),
        seed=config["seed"],
        code=code_of(*EVALUATION),
    message:
        "Playing matches of {wildcards.player}"
    shell:
        "crossplay evaluate {params.players} --config={params.settings:q} --seed={params.seed:q}"
        " --experiment={wildcards.experiment:q} --output={output:q} > {log:q} 2>&1"


rule ladder:
    input:
        trained_model,
    output:
        ratings="results/{experiment}/ladder/{player}.json",
        picture=report(
            "results/{experiment}/ladder/{player}.png",
            caption="../report/ladder.rst",
            category="Strength",
        ),
    log:
        "logs/{experiment}/ladder/{player}.log",
    wildcard_constraints:
        player="(source|scratch)/[^/]+|transfer/[^/]+/fine-tune(-reinit)?",
    conda:
        "../../envs/crossplay.yaml"
    threads: config["evaluation"]["threads"]
    params:
        folder=lambda wildcards, input: str(Path(input[0]).parent),
        about=ladder_arguments,
        settings=section("evaluation"),
        seed=config["seed"],
        code=code_of(*EVALUATION),
    message:
        "Rating the models of {wildcards.player}"
    shell:
        "crossplay ladder {params.folder:q} {params.about}"
        " --config={params.settings:q} --seed={params.seed:q} --experiment={wildcards.experiment:q}"
        " --output={output.ratings:q} > {log:q} 2>&1"
