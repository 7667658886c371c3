"""Tables and figures of an experiment, and a page that explains them."""

# An experiment has transfer between board games, learnings of 2048, or both.
REPORT_INPUT, REPORT_OUTPUT = {}, {"page": shown("index.html", "page", "Report")}
if SOURCES:
    REPORT_INPUT |= {
        "evaluations": [
            *expand("results/{{experiment}}/evaluate/source/{game}.json", game=SOURCES),
            *expand(
                "results/{{experiment}}/evaluate/scratch/{game}.json", game=TARGETS
            ),
            *expand(
                "results/{{experiment}}/evaluate/transfer/{pair}/{mode}.json",
                pair=PAIRS,
                mode=MODES,
            ),
        ],
        "mappings": expand("results/{{experiment}}/mapping/{pair}.json", pair=PAIRS),
        "similarity": "results/{experiment}/similarity/similarity.json",
    }
    REPORT_OUTPUT |= {
        "transfer": shown("transfer.png", "transfer", "Transfer"),
        "transfer_table": shown("transfer.csv", "transfer", "Transfer"),
        "curves": shown("learning_curves.png", "curves", "Transfer"),
        "curves_table": shown("learning_curves.csv", "curves", "Transfer"),
        "similarity": shown("similarity.png", "similarity", "Similarity"),
        "similarity_table": shown("similarity.csv", "similarity", "Similarity"),
        "vector": expand(
            "results/{{experiment}}/report/{name}.svg",
            name=["transfer", "learning_curves", "similarity"],
        ),
    }
if LADDERS:
    REPORT_INPUT |= {"ladders": LADDERS}
    REPORT_OUTPUT |= {
        "ladder": shown("ladder.png", "ladder", "Strength"),
        "ladder_table": shown("ladder.csv", "ladder", "Strength"),
        "ladder_vector": "results/{experiment}/report/ladder.svg",
    }
if NTUPLE_RUNS:
    REPORT_INPUT |= {
        "ntuple": expand(
            "results/{{experiment}}/ntuple/{run}/{file}.json",
            run=NTUPLE_RUNS,
            file=["curve", "evaluation"],
        ),
    }
    REPORT_OUTPUT |= {
        "ntuple_table": shown("ntuple.csv", "ntuple", "2048"),
        "ntuple_curves": shown("ntuple_curves.png", "ntuple_curves", "2048"),
        "ntuple_curves_table": shown("ntuple_curves.csv", "ntuple_curves", "2048"),
        "ntuple_vector": "results/{experiment}/report/ntuple_curves.svg",
    }


rule report:
    input:
        **REPORT_INPUT,
    output:
        **REPORT_OUTPUT,
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
