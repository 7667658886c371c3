"""Moving a trained network's parameters into a network for another game.

Only two layers know what channels mean: the first convolution reads the state's, the policy head writes
the moves'. Their weights follow a channel mapping; everything else, batch norm statistics and the first
layer's bias included (a bias belongs to an output), is copied by name. If the two games were one game
in two encodings, the network would compute the same after the transfer as before.
Source: D. Soemers et al., "Transfer of fully convolutional policy-value networks between games and game
variants" (2021), and ``convert.py`` of Polygames.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import get_args

import torch

from crossplay.config import Mode
from crossplay.errors import CrossplayError
from crossplay.networks import ModelHeader, PolicyValueNetwork
from crossplay.networks.registry import ARCHITECTURES
from crossplay.transfer.mapping import ChannelMapping

MODES: tuple[str, ...] = get_args(Mode)

INPUT_WEIGHT = "mono.0.weight"  # [width, C, k, k]
# [C', width, k, k] and [C'], or of a dense head [C' X Y, width X Y] and [C' X Y]
POLICY = ("pi_logit.weight", "pi_logit.bias")
# The original's list names "v" and "pi_logit" only; that keeps "v2", a last layer that was trained to
# read features which no longer exist. We start the whole value head anew.
REINITIALISED = ("v.", "v2.", "pi_logit.")


def transfer_parameters(
    network: PolicyValueNetwork,
    source: ModelHeader,
    target: ModelHeader,
    mapping: ChannelMapping,
    mode: str,
    seed: int,
) -> tuple[PolicyValueNetwork, ModelHeader]:
    """Build the target game's network from a trained one; optimiser state is never carried.

    The modes differ in what has no source:

    * ``zero-shot``, to play without training: weights of state channels without a source are 0, so that
      these cannot influence anything, and so are weights and biases of move channels without a source;
    * ``fine-tune``, to train further: these get the architecture's fresh initial values;
    * ``fine-tune-reinit``: so do the value head (``v``, ``v2``) and the policy head (``pi_logit``) whole.

    Args:
        network: the trained network, left as it is.
        source: its header.
        target: the header wanted: architecture and hyperparameters (which must be the source's),
            game, options, layout and channels.
        mapping: sources of the target's channels.
        mode: one of the above.
        seed: of the fresh initial values; torch's global generator is left as it is.

    Returns:
        The network on the CPU in evaluation mode and its header: ``target`` with 0 positions trained
        and the source (game, options, positions) and mode recorded.

    Raises:
        CrossplayError: unknown mode, another architecture, hyperparameter or layout, another board where
            a kept head has weights for its cells, or a mapping made for other games.
    """
    if mode not in MODES:
        raise CrossplayError(f"unknown transfer mode {mode!r}; choose from {', '.join(MODES)}")
    _check_network(source, target)
    _check_board(source, target, mode)
    _check_mapping(mapping, source, target)
    with torch.random.fork_rng(devices=()), torch.no_grad():
        torch.manual_seed(seed)
        result = target.new_network()
    trained = network.state_dict()
    tensors = result.state_dict()  # shares storage with the network
    for name, tensor in tensors.items():
        if mode == "fine-tune-reinit" and name.startswith(REINITIALISED):
            continue
        old = trained[name].cpu()
        if name == INPUT_WEIGHT:
            _copy_channels(tensor.transpose(0, 1), old.transpose(0, 1), mapping.state_sources, mode)
        elif name in POLICY:
            # A dense head has a row for every cell of every channel.
            new_rows = tensor.view(len(target.move_channels), -1)
            old_rows = old.reshape(len(source.move_channels), -1)
            _copy_channels(new_rows, old_rows, mapping.move_sources, mode)
        else:
            tensor.copy_(old)
    lineage = {
        "game": source.game,
        "options": list(source.options),
        "positions": source.positions,
        "mode": mode,
    }
    return result.eval(), dataclasses.replace(target, positions=0, source=lineage)


def _copy_channels(new: torch.Tensor, old: torch.Tensor, sources: Sequence[int], mode: str) -> None:
    """Fill each ``new[i]`` from ``old[sources[i]]``; without a source it is 0 if no training follows."""
    for channel, source in enumerate(sources):
        if source >= 0:
            new[channel] = old[source]
        elif mode == "zero-shot":
            new[channel] = 0


def _check_network(source: ModelHeader, target: ModelHeader) -> None:
    if source.architecture != target.architecture:
        raise CrossplayError(
            f"the source model is a {source.architecture} but network.architecture is "
            f"{target.architecture}; parameters only move between equal architectures"
        )
    wanted = target.all_hyperparameters()
    for name, ours in source.all_hyperparameters().items():
        theirs = wanted.get(name)
        if name == "mask_channels":  # the same cells by whatever channels show them
            name, ours, theirs = "masked", bool(ours), bool(theirs)
        if ours != theirs:
            raise CrossplayError(
                f"the source model has {name} {ours} but network.{name} is {theirs}; set it to {ours} or "
                "train the source anew"
            )
    if source.layout != target.layout:
        raise CrossplayError(
            f"the source model reads the tensor layout {dict(source.layout)}, the target"
            f" {dict(target.layout)}; use one layout"
        )


def _check_board(source: ModelHeader, target: ModelHeader, mode: str) -> None:
    if ARCHITECTURES[source.architecture].changes_board or source.board == target.board:
        return
    if mode != "fine-tune-reinit":
        boards = [" x ".join(map(str, header.board or ())) for header in (source, target)]
        raise CrossplayError(
            f"a {source.architecture} has weights for each of {boards[0]} cells and cannot change to "
            f"{boards[1]}; use mode fine-tune-reinit, or train an architecture whose heads pool the board"
        )


def _check_mapping(mapping: ChannelMapping, source: ModelHeader, target: ModelHeader) -> None:
    for kind in ("state", "move"):
        names: tuple[str, ...] = getattr(target, f"{kind}_channels")
        matches = mapping.state if kind == "state" else mapping.moves
        sources: tuple[int, ...] = getattr(mapping, f"{kind}_sources")
        available: tuple[str, ...] = getattr(source, f"{kind}_channels")
        fits = [match.target for match in matches] == list(names) and all(
            index == -1 if match.source is None else available[index : index + 1] == (match.source,)
            for match, index in zip(matches, sources, strict=True)
        )
        if not fits:
            raise CrossplayError(
                f"the channel mapping {mapping.source} -> {mapping.target} does not fit the {kind} channels "
                f"of {source.game} and {target.game}; run map-channels for these games"
            )
