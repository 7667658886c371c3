"""Checks the configuration and holds what rules share: config sections, code digests, file names."""

import hashlib
import json
import os
import re
import shlex
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import validate

from crossplay.config import Experiment, check_settings
from crossplay.errors import CrossplayError
from crossplay.ntuple.study import runs_of

ORIGIN = " + ".join(map(str, workflow.configfiles)) or "--config"

try:
    # First for one clear line about a mistake; then the schema, which also fills in the defaults.
    EXPERIMENT = check_settings(Experiment, config, ORIGIN)
    NTUPLE_RUNS = runs_of(EXPERIMENT.ntuple, ORIGIN)
except CrossplayError as error:
    raise WorkflowError(str(error))
validate(config, schema="../../config/schema.yaml")

for folder in map(Path, ("results", "logs")):
    if folder.exists() and not (
        folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
    ):
        raise WorkflowError(
            f"cannot write to {folder.absolute()}: make it a folder that you may write to"
        )

SOURCES, TARGETS, MODES = config["sources"], config["targets"], config["modes"]
LADDERS = [
    f"results/{config['experiment']}/ladder/{training.player}.json"
    for training in EXPERIMENT.trainings
    if config["evaluation"]["ladder_games"] > 0
]
PAIRS = [f"{source}--{target}" for source, target in EXPERIMENT.pairs]


wildcard_constraints:
    experiment=re.escape(config["experiment"]),
    game="|".join(map(re.escape, config["games"])),
    source="|".join(map(re.escape, SOURCES)),
    target="|".join(map(re.escape, TARGETS)),
    mode="|".join(MODES),
    run="|".join(map(re.escape, NTUPLE_RUNS)),


def section(*path):
    """A section of the configuration as JSON text: a stage reruns when its own section changes."""
    part = config
    for key in path:
        part = part[key]
    return json.dumps(part, sort_keys=True)


def code_of(*parts):
    """A digest of parts of the package, so that changed code reruns the stages that use it.

    Modules of the command line and of the workflow are left out: they move files about.
    """
    package = Path(workflow.basedir) / "src/crossplay"
    digest = hashlib.sha256()
    for part in parts:
        path = package / part
        if not path.exists():
            raise WorkflowError(
                f"{path} is gone; correct the parts of stages in common.smk"
            )
        for file in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(
                file.relative_to(package).as_posix().encode() + file.read_bytes()
            )
    return digest.hexdigest()[:12]


def rules_of(*games):
    """A digest of the games' descriptions: an edited game reruns only the stages that play it."""
    digest = hashlib.sha256()
    for game in games:
        name = config["games"][game]["game"]
        file = Path(workflow.basedir) / f"src/crossplay/games/library/{name}.lud"
        file = file if file.exists() else Path(name)
        digest.update(file.read_bytes() if file.exists() else b"")
    return digest.hexdigest()[:12]


def game_arguments(game, name="--game", option="--option"):
    """The arguments that tell a command which game to load."""
    choice = config["games"][game]
    pairs = [(name, choice["game"]), *((option, value) for value in choice["options"])]
    return " ".join(shlex.quote(f"{key}={value}") for key, value in pairs)


def layout_arguments():
    """The arguments that tell a command how the games' tensors are laid out."""
    return " ".join(f"--{key}={value}" for key, value in config["layout"].items())


def processors(kind):
    """The processors that training of sources or targets uses."""
    settings = config["training"][kind]
    processes = settings["self_play_processes"]
    return 1 + processes * settings["threads"] if processes else settings["threads"]


def gpus(kind):
    """The GPUs that it can use: one to learn, and one for each process that plays."""
    return 1 + config["training"][kind]["self_play_processes"]


def minutes(kind):
    """The time that it may take: an hour beyond its budget, if that is a time, else half a day."""
    seconds = config["training"][kind].get("seconds")
    return 720 if seconds is None else 60 + round(seconds / 60)


def folder_of_output(wildcards, output):
    """The folder of a rule's first output, for commands that are told a folder."""
    return str(Path(output[0]).parent)


def evaluated_files(wildcards):
    """The files that an evaluation needs: the model, and where there are such its rival and its start."""
    root = f"results/{wildcards.experiment}"
    kind, name, *rest = wildcards.player.split("/")
    if kind != "transfer":
        return {"model": f"{root}/{kind}/{name}/model.safetensors"}
    mode = rest[0]
    transferred = f"{root}/transfer/{name}/{mode}.safetensors"
    files = {"scratch": f"{root}/scratch/{name.split('--')[1]}/model.safetensors"}
    if mode == "zero-shot":
        return {**files, "model": transferred}
    return {
        **files,
        "model": f"{root}/finetune/{name}/{mode}/model.safetensors",
        "initial": transferred,
    }


def evaluated_arguments(wildcards, input):
    """The arguments of the evaluation that follow from :func:`evaluated_files`."""
    kind, name, *rest = wildcards.player.split("/")
    keys = {"kind": kind, "model": input.model}
    if kind == "transfer":
        keys["source-key"], keys["target-key"] = name.split("--")
        keys |= {"mode": rest[0], "scratch": input.scratch}
    else:
        keys["key"] = name
    if "initial" in input.keys():
        keys["initial"] = input.initial
    return " ".join(shlex.quote(f"--{key}={value}") for key, value in keys.items())


def trained_model(wildcards):
    """The model of a training; see Experiment.trainings for their names."""
    folder = wildcards.player.replace("transfer/", "finetune/", 1)
    return f"results/{wildcards.experiment}/{folder}/model.safetensors"


def ladder_arguments(wildcards):
    """The arguments that say which training is rated."""
    kind, name, *mode = wildcards.player.split("/")
    if not mode:
        return f"--role={shlex.quote(kind)} --key={shlex.quote(name)}"
    source, target = map(shlex.quote, name.split("--"))
    return f"--role={shlex.quote(mode[0])} --source-key={source} --key={target}"


def ntuple_initial(wildcards):
    """The network that a run of 2048 starts from, if it starts from another run's."""
    initial = NTUPLE_RUNS[wildcards.run].initial
    folder = f"results/{wildcards.experiment}/ntuple/{initial}"
    return [f"{folder}/model.safetensors"] if initial else []


def ntuple_settings(wildcards):
    """The settings of one learning of 2048; what it starts from is named by its file.

    Snakemake overlooks changes of what is made from a job's input, so this is not.
    """
    settings = config["ntuple"]["runs"][NTUPLE_RUNS[wildcards.run].key]
    initial = next(iter(ntuple_initial(wildcards)), None)
    return json.dumps({**settings, "initial": initial}, sort_keys=True)


def ntuple_seed(wildcards):
    """The experiment's seed, another one for each repeat."""
    return config["seed"] + NTUPLE_RUNS[wildcards.run].repeat


def ntuple_measured(wildcards):
    """The network that is measured: without redundant tuples it plays the same, and faster."""
    redundant = NTUPLE_RUNS[wildcards.run].redundant
    folder = f"results/{wildcards.experiment}/ntuple/{wildcards.run}"
    return (
        f"{folder}/folded/model.safetensors"
        if redundant
        else f"{folder}/model.safetensors"
    )


def shown(name, caption, category):
    """An output of the report that Snakemake's own report shows as well."""
    return report(
        f"results/{{experiment}}/report/{name}",
        caption=f"../report/{caption}.rst",
        category=category,
    )


# What the stages are made of, for code_of.
TRAINING = ("games", "networks", "search", "selfplay", "training")
CHANNELS = (
    "games",
    "similarity",
    *(f"transfer/{name}.py" for name in "channels mapping objects pieces".split()),
)
TRANSFER = ("networks", "transfer", "training/model.py")
EVALUATION = ("games", "networks", "search", "evaluation")
SIMILARITY = ("games", "similarity")
FIGURES = ("figures", "report")
# Not how tables are kept in files, nor the games that measure a network on its way: learning takes long.
NTUPLE_LEARNING = tuple(
    f"ntuple/{name}.py"
    for name in "board checkpoints corrections intrinsics learning session shapes training".split()
)
NTUPLE_FOLDING = ("ntuple/folding.py", "ntuple/shapes.py")
NTUPLE_PLAYING = tuple(
    f"ntuple/{name}.py"
    for name in "board chance clock downgrade evaluation expectimax game greedy intrinsics memory shapes".split()
)
