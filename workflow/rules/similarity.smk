"""How alike the games are, by their rules and by what can follow their first positions."""


rule similarity_analysis:
    output:
        "results/{experiment}/similarity/similarity.json",
    log:
        "logs/{experiment}/similarity_analysis.log",
    conda:
        "../../envs/crossplay.yaml"
    params:
        games=json.dumps({"games": config["games"]}, sort_keys=True),
        settings=section("similarity"),
        seed=config["seed"],
        code=code_of(*SIMILARITY),
        rules=rules_of(*config["games"]),
    message:
        "Comparing the games"
    shell:
        "crossplay similarity --games={params.games:q} --config={params.settings:q}"
        " --seed={params.seed:q} --experiment={wildcards.experiment:q} --output={output:q}"
        " > {log:q} 2>&1"
