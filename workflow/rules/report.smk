"""Tables and figures of an experiment, and a page that explains them."""

REPORT = "results/{experiment}/report"


rule report:
    input:
        evaluations=[
            *expand(
                "results/{{experiment}}/evaluate/source/{game}.json", game=SOURCES
            ),
            *expand(
                "results/{{experiment}}/evaluate/scratch/{game}.json", game=TARGETS
            ),
            *expand(
                "results/{{experiment}}/evaluate/transfer/{pair}/{mode}.json",
                pair=PAIRS,
                mode=MODES,
            ),
        ],
        mappings=expand("results/{{experiment}}/mapping/{pair}.json", pair=PAIRS),
        similarity="results/{experiment}/similarity/similarity.json",
    output:
        page=report(
            f"{REPORT}/index.html", caption="../report/page.rst", category="Report"
        ),
        transfer=report(
            f"{REPORT}/transfer.png",
            caption="../report/transfer.rst",
            category="Transfer",
        ),
        transfer_table=report(
            f"{REPORT}/transfer.csv",
            caption="../report/transfer.rst",
            category="Transfer",
        ),
        curves=report(
            f"{REPORT}/learning_curves.png",
            caption="../report/curves.rst",
            category="Transfer",
        ),
        curves_table=report(
            f"{REPORT}/learning_curves.csv",
            caption="../report/curves.rst",
            category="Transfer",
        ),
        similarity=report(
            f"{REPORT}/similarity.png",
            caption="../report/similarity.rst",
            category="Similarity",
        ),
        similarity_table=report(
            f"{REPORT}/similarity.csv",
            caption="../report/similarity.rst",
            category="Similarity",
        ),
        vector=multiext(
            f"{REPORT}/", "transfer.svg", "learning_curves.svg", "similarity.svg"
        ),
    log:
        "logs/{experiment}/report.log",
    conda:
        "../../envs/crossplay.yaml"
    params:
        settings=json.dumps(config, sort_keys=True),
        folder=lambda wildcards, output: str(Path(output.page).parent),
        code=code_of(*FIGURES),
    message:
        "Writing the report of {wildcards.experiment}"
    shell:
        "crossplay report --config={params.settings:q} --results=results/{wildcards.experiment:q}"
        " --output={params.folder:q} > {log:q} 2>&1"
