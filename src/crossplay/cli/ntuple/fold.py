"""``crossplay ntuple fold``."""

from __future__ import annotations

from pathlib import Path

import click

from crossplay.cli import stage
from crossplay.errors import CrossplayError


@click.command()
@click.argument("network", type=click.Path(path_type=Path))
@click.option("--output", type=stage.FOLDER, required=True, help="Folder for model.safetensors.")
@click.option("--key", help="Short name of the learning in results; the folder's name by default.")
@stage.stage_options
def fold(network: Path, output: Path, key: str | None, experiment: str, seed: int, track: bool) -> None:
    """Turn a network with redundant tuples into an equal one without them.

    \b
      crossplay ntuple train --network 42-33-4-22 --actions 1e9 --output runs/extra
      crossplay ntuple fold runs/extra --output runs/extra/folded
      crossplay ntuple evaluate runs/extra/folded --plies 3

    NETWORK is the folder of a learning, or a model file. Small tuples such as 4, 22 and 3 help in learning
    but slow down playing. The tables of those that lie in larger ones are added to the tables of these:
    every board keeps its value. With stages and promotion, all stages are filled in before, so that the
    file may become larger; the result needs no promotion any more.
    """
    from tqdm import tqdm

    from crossplay.ntuple.files import MODEL, load_network, network_file, save_network
    from crossplay.ntuple.folding import fold_network
    from crossplay.tracking import Identity

    source, model = network_file(network), output / MODEL
    loaded = load_network(source)
    if model.exists() and model.samefile(source):
        raise CrossplayError(f"{model} is the network to be folded; choose another --output")
    stage.check_writable(output)
    name = key or source.resolve().parent.name
    identity = Identity("ntuple-fold", experiment, seed, game="2048", mode=name)
    params = {
        "network": loaded.header.network,
        "stages": 1 << loaded.header.stage_bits,
        "promotion": loaded.header.promotion,
    }
    with stage.recorded(track, identity, params, model) as run:
        with tqdm(unit="weight", unit_scale=True, desc="fold", disable=None) as bar:

            def show(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            folded = fold_network(loaded, show)
        save_network(model, folded.header, folded.weights)
        run.log_metrics(
            {
                "tuples_before": len(loaded.header.tuples),
                "tuples": len(folded.header.tuples),
                "megabytes_before": source.stat().st_blocks * 512 / 1e6,
                "megabytes": model.stat().st_blocks * 512 / 1e6,
            },
            loaded.header.actions,
        )
    click.echo(
        f"{identity.name}: {len(loaded.header.tuples)} tuples of {loaded.header.network} "
        f"folded into the {len(folded.header.tuples)} of {folded.header.network}; wrote {model}"
    )
