# The workflow: learn source games, carry the networks over to target games, measure, report; learn 2048.
#
#   snakemake --cores 2                              the demo, config/demo.yaml
#   snakemake --cores 8 --configfile my.yaml         another experiment
#   snakemake --profile slurm --configfile my.yaml   the same on a cluster, docs/cluster.md
#
# Each stage is a command of its own ("crossplay STAGE"); rules only say which files it needs and makes.

from snakemake.utils import min_version

min_version("9.0")

# An experiment file given on the command line replaces the demo; it is never merged with it.
if not workflow.configfiles:

    configfile: f"{workflow.basedir}/config/demo.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/transfer.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/similarity.smk"
include: "workflow/rules/ntuple.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        f"results/{config['experiment']}/report/index.html",
        LADDERS,


onstart:
    # Several stages that open a fresh store at once would break it.
    shell("crossplay tracking prepare --experiment {config[experiment]:q}")
