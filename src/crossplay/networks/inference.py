"""Evaluating positions in batches, as a search wants them."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from crossplay.errors import CrossplayError
from crossplay.networks.base import PolicyValueNetwork, expected_value

# A layer's output should stay within a core's cache of (commonly) 1 MB: beyond that a row costs up to twice
# as much, while small pieces cost more per row again. See benchmarks/selfplay.py.
CHUNK_BYTES = 1 << 20
CHUNK_ROWS = (16, 256)


def choose_device(name: str) -> torch.device:
    """Return the device called ``name``; "auto" is CUDA where there is one, else the CPU.

    Raises:
        CrossplayError: no such device here.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise CrossplayError(f"device {name!r} cannot be used here; set device to 'auto' or 'cpu'") from error
    return device


def fold_batch_norm(network: PolicyValueNetwork) -> PolicyValueNetwork:
    """Return a copy in evaluation mode whose batch norms are merged into their convolutions."""
    folded = copy.deepcopy(network).eval().requires_grad_(False)
    for module in folded.modules():
        if not isinstance(module, nn.Sequential) or not isinstance(module[0], nn.Conv2d):
            continue
        while len(module) > 1 and isinstance(module[1], nn.BatchNorm2d):
            module[0] = fuse_conv_bn_eval(module[0], module[1])
            del module[1]
    return folded


def channels_last(network: PolicyValueNetwork, device: torch.device) -> PolicyValueNetwork:
    """Move ``network`` to ``device`` in the memory format in which convolutions are fastest."""
    # torch's annotations of Module.to() leave out memory_format.
    return network.to(device, memory_format=torch.channels_last)  # type: ignore[call-overload]


class Evaluator:
    """A frozen copy of a network, called with encoded positions.

    It may be called from several threads at once. The network given may go on learning: nothing is
    shared with it.

    Args:
        network: the weights to freeze, batch norm statistics included.
        state_shape: (C, X, Y) of one encoded position.
        device: where to compute, see :func:`choose_device`.
        bfloat16: compute in bfloat16 (autocast), worth it on CUDA.

    Raises:
        CrossplayError: the device cannot be used, or the network reads other planes.
    """

    def __init__(
        self,
        network: PolicyValueNetwork,
        state_shape: tuple[int, int, int],
        device: str | torch.device = "cpu",
        bfloat16: bool = False,
    ) -> None:
        if network.state_channels != state_shape[0]:
            raise CrossplayError(
                f"the network reads {network.state_channels} state channels, the game has {state_shape[0]};"
                " transfer the network to the game first"
            )
        if network.board not in (None, state_shape[1:]):
            raise CrossplayError(
                f"{type(network).__name__} has weights for each of {_size(network.board)} cells, the game has"
                f" {_size(state_shape[1:])}; choose an architecture with convolutional heads"
            )
        self.device = choose_device(device) if isinstance(device, str) else device
        self.state_shape = state_shape
        self.n_actions = network.move_channels * state_shape[1] * state_shape[2]
        self._bfloat16 = bfloat16
        self._network: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]
        self._network = channels_last(fold_batch_norm(network), self.device)
        width = max(layer.out_channels for layer in network.modules() if isinstance(layer, nn.Conv2d))
        rows = CHUNK_BYTES // (4 * width * state_shape[1] * state_shape[2])
        self._most_rows = min(max(rows, CHUNK_ROWS[0]), CHUNK_ROWS[1])

    def _precision(self) -> contextlib.AbstractContextManager[object]:
        # Entering autocast costs time even where it is switched off.
        return (
            torch.autocast(self.device.type, torch.bfloat16) if self._bfloat16 else contextlib.nullcontext()
        )

    def __call__(self, batch: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate ``batch float32[n, C*X*Y]``.

        Returns:
            ``(priors float32[n, A], values float32[n])``: priors are exp(logit - max logit), to be
            normalised over the legal moves; values are for the agent to move.
        """
        priors = np.empty((len(batch), self.n_actions), np.float32)
        values = np.empty(len(batch), np.float32)
        self.evaluate_into(batch, priors, values)
        return priors, values

    def rows_at_once(self, rows: int) -> int:
        """How many rows of a batch of so many the network is given at once."""
        pieces = -(-rows // self._most_rows) if self.device.type == "cpu" else 1
        return -(-rows // max(1, pieces)) or 1

    def evaluate_into(self, batch: np.ndarray, priors: np.ndarray, values: np.ndarray) -> None:
        """As a call, but into arrays that the caller keeps."""
        # OpenMP keeps the number of threads per thread. A new thread takes over what was set by
        # torch.set_num_threads() when it is read, not when it convolves; until then it uses every core.
        torch.get_num_threads()
        chunk = self.rows_at_once(len(batch))
        with torch.inference_mode(), self._precision():
            for start in range(0, len(batch), chunk):
                rows = slice(start, start + chunk)
                planes = torch.from_numpy(batch[rows]).to(self.device).view(-1, *self.state_shape)
                logits, value = self._network(planes.contiguous(memory_format=torch.channels_last))
                logits = logits.flatten(1).float()
                exponentials = torch.exp(logits - logits.amax(1, keepdim=True))
                priors[rows] = exponentials.cpu().numpy()
                values[rows] = expected_value(value.float()).cpu().numpy()


def _size(board: tuple[int, int] | None) -> str:
    return " x ".join(map(str, board or ()))
