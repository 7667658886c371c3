"""The architectures of Polygames, under its names.

All begin with a convolution to D planes (``width``) and go on with convolutions of D planes, of side k
(``kernel``), which keep the board's size. They differ in how these are joined and in their heads:

==============================  =============================================  ==============  ===========
architecture                    trunk                                          value head      policy head
==============================  =============================================  ==============  ===========
``ResConvConvLogitPoolModelV2`` n residual blocks of L convolutions            pooled, 2 deep  convolution
``ResConvConvLogitPoolModel``   the same                                       pooled          convolution
``ResConvConvLogitModel``       the same                                       dense           convolution
``ResConvFCLogitModel``         the same                                       dense           dense
``UConvConvLogitModel``         n groups of L, joined crosswise                dense           convolution
``UConvFCLogitModel``           the same                                       dense           dense
``DeepConvConvLogitModel``      n convolutions in a row                        dense           convolution
``DeepConvFCLogitModel``        the same                                       dense           dense
``NanoConvLogitModel``          the first convolution only                     dense           convolution
``NanoFCLogitModel``            the same                                       dense           dense
==============================  =============================================  ==============  ===========

Receptive field of a policy output: 1 + (k - 1) x the number of convolutions on its way; a dense head sees
the board whole. Only the two pooled architectures have weights that serve every board; a dense head has
some for every cell of one board, and so for no other size.

Numbers of parameters, with batch norm (without, biases: D for 2D and for 4D), C state planes, C' move
planes, X Y cells, N = n L trunk convolutions (Deep: n, Nano: 0), m norms for each, G = int(D g) planes
pooled in the trunk, o = 1 output of a tanh head or 3 of one for loss, draw and win:

    trunk     k^2 C D + 2D + N (k^2 D^2 + 2mD), of V2 also n 2 k^2 G D
    value     dense o (D X Y + 1); pooled o (2D + 1); pooled, 2 deep (4D^2 + 2D) + o (2D + 1)
    policy    convolution k^2 D C' + C'; dense (D X Y + 1) C' X Y

Parameter names are those of Polygames where transfer looks for them (``mono``, ``resnets``, ``v``,
``v2``, ``pi_logit``).
Source: T. Cazenave et al., "Polygames: Improved zero learning" (2020), model_zoo.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import torch
import torch.nn.functional as F  # noqa: N812 - the name everyone uses
from torch import nn

from crossplay.errors import CrossplayError
from crossplay.networks.base import Board, PolicyValueNetwork
from crossplay.networks.blocks import cells_mask, convolution, convolve, pool
from crossplay.networks.hyperparameters import (
    ACTIVATIONS,
    VALUE_HEADS,
    Activation,
    Blocks,
    Chain,
    GloballyPooled,
    Hyperparameters,
    OddBlocks,
    Pooled,
)


class ZooNetwork(PolicyValueNetwork):
    """First convolution and heads of all architectures; the trunk between is a subclass's.

    Args:
        state_channels: input planes C.
        move_channels: policy planes C'.
        board: (X, Y); needed by dense heads.
        settings: the hyperparameters.

    Attributes:
        hyperparameters: what hyperparameters the architecture has.
        norms: batch norms after each trunk convolution but the first.
        dense_policy: whether the policy head is dense.

    Raises:
        CrossplayError: no board where it is needed, or a mask by planes that do not exist.
    """

    changes_board: ClassVar[bool] = False
    hyperparameters: ClassVar[type[Hyperparameters]] = Hyperparameters
    norms: ClassVar[int] = 1
    dense_policy: ClassVar[bool] = False

    def __init__(
        self, state_channels: int, move_channels: int, board: Board | None, settings: Hyperparameters
    ) -> None:
        super().__init__(state_channels, move_channels, board)
        self.mask_channels = tuple(settings.mask_channels) if isinstance(settings, Pooled) else ()
        if max(self.mask_channels, default=0) >= state_channels:
            raise CrossplayError(
                f"network mask_channels must be below the number of state channels, {state_channels}, "
                f"not {list(self.mask_channels)}"
            )
        self.settings = settings
        self.value_outputs = VALUE_HEADS[settings.value_head]
        self.mono = nn.Sequential(*self._convolution(state_channels, 1))

    def _convolution(self, inputs: int, norms: int) -> list[nn.Module]:
        settings = self.settings
        return convolution(
            inputs,
            settings.width,
            settings.kernel,
            norms if settings.batch_norm else 0,
            settings.batch_norm_momentum,
            bool(self.mask_channels),
        )

    def _trunk_layer(self, inputs: int | None = None) -> nn.Module:
        layers = self._convolution(inputs or self.settings.width, self.norms)
        return layers[0] if len(layers) == 1 else nn.Sequential(*layers)

    def _groups(self, settings: Blocks, first_inputs: int | None = None) -> nn.ModuleList:
        """The trunk's convolutions by blocks; the first of each may have inputs of its own."""
        return nn.ModuleList(
            nn.ModuleList(
                self._trunk_layer(first_inputs if i == 0 else None) for i in range(settings.layers_per_block)
            )
            for _ in range(settings.blocks)
        )

    def _make_heads(self) -> None:
        """Add both heads and draw initial weights by Xavier's rule, as Polygames does."""
        cells = 1 if self.board is None else self.board[0] * self.board[1]
        width, kernel = self.settings.width, self.settings.kernel
        self._make_value_head(width * cells)
        self.pi_logit: nn.Module = (
            nn.Linear(width * cells, self.move_channels * cells)
            if self.dense_policy
            else nn.Conv2d(width, self.move_channels, kernel, padding=kernel // 2)
        )
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def _make_value_head(self, inputs: int) -> None:
        self.v = nn.Linear(inputs, self.value_outputs)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """See :meth:`PolicyValueNetwork.forward`."""
        mask = cells_mask(planes, self.mask_channels)
        if mask is not None:
            planes = planes * mask
        trunk = self._trunk(convolve(self.mono, planes, mask), mask)
        values = self._values(trunk, mask)
        if self.value_outputs == 1:
            values = torch.tanh(values).squeeze(1)
        logits = self.pi_logit(trunk.flatten(1) if self.dense_policy else trunk)
        return logits.view(len(planes), self.move_channels, *planes.shape[2:]), values

    @abstractmethod
    def _trunk(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        """From the first convolution's output to what the heads read, ``[B, D, X, Y]`` both."""

    def _values(self, trunk: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        return self.v(trunk.flatten(1))

    def receptive_field(self) -> int:
        """Side, in cells, of the square of input cells that one policy output sees.

        The first convolution, each of the trunk's and the policy head's widen it by k - 1. On wider boards
        a policy output cannot see everything, unless the trunk pools over the board or the head is dense;
        the value always sees the whole board.
        """
        if self.dense_policy and self.board is not None:
            return 2 * max(self.board) - 1
        return 1 + (self.settings.kernel - 1) * sum(isinstance(m, nn.Conv2d) for m in self.modules())


class _Residual(ZooNetwork):
    """A trunk of pre-activation residual blocks; what they add to the trunk has no activation."""

    resnets: nn.ModuleList
    activation: Activation = staticmethod(ACTIVATIONS["relu"])

    def _trunk(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        for block in self.resnets:
            assert isinstance(block, nn.ModuleList)
            h = self._block_input(x, mask)
            for layer in block:
                h = convolve(layer, self.activation(h), mask)
            x = x + h
        return self.activation(x)

    def _block_input(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        return x


class ResConvConvLogitPoolModelV2(_Residual):
    """Residual blocks, a convolutional policy and a value head of two layers over the pooled board.

    Its weights serve every board size: what transfer between games needs.
    """

    changes_board = True
    hyperparameters = GloballyPooled

    def __init__(
        self, state_channels: int, move_channels: int, board: Board | None, settings: GloballyPooled
    ) -> None:
        super().__init__(state_channels, move_channels, board, settings)
        self.activation = ACTIVATIONS[settings.activation]
        self.pooled_channels = int(settings.width * settings.global_pooling)
        self.resnets = self._groups(settings, settings.width + 2 * self.pooled_channels)
        self._make_heads()

    def _make_value_head(self, inputs: int) -> None:
        self.v = nn.Linear(2 * inputs, 2 * inputs)
        self.v2 = nn.Linear(2 * inputs, self.value_outputs)

    def _values(self, trunk: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        return self.v2(self.activation(self.v(torch.cat([p.flatten(1) for p in pool(trunk, mask)], 1))))

    def _block_input(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        if self.pooled_channels == 0:
            return x
        part = x[:, : self.pooled_channels]
        pooled = [p.expand_as(part) if mask is None else p * mask for p in pool(part, mask)]
        return torch.cat((x, *pooled), 1)


class _TwoNorms(_Residual):
    """The other residual architectures: relu, and two batch norms after each trunk convolution.

    The second is a slip of Polygames, which V2 mends. It is kept, as a network of this name has these
    parameters; for playing, both are merged into the convolution.
    """

    norms = 2
    hyperparameters = Blocks

    def __init__(
        self, state_channels: int, move_channels: int, board: Board | None, settings: Blocks
    ) -> None:
        super().__init__(state_channels, move_channels, board, settings)
        self.resnets = self._groups(settings)
        self._make_heads()


class ResConvConvLogitPoolModel(_TwoNorms):
    """Residual blocks, a convolutional policy and a value head of one layer over the pooled board.

    Its weights serve every board size.
    """

    changes_board = True
    hyperparameters = Pooled

    def _make_value_head(self, inputs: int) -> None:
        super()._make_value_head(2 * inputs)

    def _values(self, trunk: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        return self.v(torch.cat([p.flatten(1) for p in pool(trunk, mask)], 1))


class ResConvConvLogitModel(_TwoNorms):
    """Residual blocks, a convolutional policy and a dense value head."""


class ResConvFCLogitModel(_TwoNorms):
    """Residual blocks, a dense policy and a dense value head."""

    dense_policy = True


class UConvConvLogitModel(ZooNetwork):
    """Blocks of which the later add what the earlier gave, a convolutional policy and a dense value head.

    "U" is only how blocks are joined: no size changes on the way. The k-th block after the middle adds
    the output of the k-th block of all, not of the k-th before the middle as a U-Net would.
    """

    hyperparameters = OddBlocks

    def __init__(
        self, state_channels: int, move_channels: int, board: Board | None, settings: OddBlocks
    ) -> None:
        super().__init__(state_channels, move_channels, board, settings)
        self.resnets = self._groups(settings)
        self._make_heads()

    def _trunk(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        middle = len(self.resnets) // 2
        earlier: list[torch.Tensor] = []
        for i, block in enumerate(self.resnets):
            assert isinstance(block, nn.ModuleList)
            for layer in block:
                x = convolve(layer, F.relu(x), mask)
            if i < middle:
                earlier.append(x)
            elif i > middle:
                x = x + earlier[i - middle - 1]
        return F.relu(x)


class UConvFCLogitModel(UConvConvLogitModel):
    """As :class:`UConvConvLogitModel`, with a dense policy head."""

    dense_policy = True


class DeepConvConvLogitModel(ZooNetwork):
    """Convolutions in a row, each with a relu, a convolutional policy and a dense value head."""

    hyperparameters = Chain

    def __init__(self, state_channels: int, move_channels: int, board: Board | None, settings: Chain) -> None:
        super().__init__(state_channels, move_channels, board, settings)
        self.convolutions = nn.ModuleList(self._trunk_layer() for _ in range(settings.blocks))
        self._make_heads()

    def _trunk(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        x = F.relu(x)
        for layer in self.convolutions:
            x = F.relu(convolve(layer, x, mask))
        return x


class DeepConvFCLogitModel(DeepConvConvLogitModel):
    """As :class:`DeepConvConvLogitModel`, with a dense policy head."""

    dense_policy = True


class NanoConvLogitModel(ZooNetwork):
    """One convolution and a relu, a convolutional policy and a dense value head."""

    def __init__(
        self, state_channels: int, move_channels: int, board: Board | None, settings: Hyperparameters
    ) -> None:
        super().__init__(state_channels, move_channels, board, settings)
        self._make_heads()

    def _trunk(self, x: torch.Tensor, mask: torch.Tensor | None) -> torch.Tensor:
        return F.relu(x)


class NanoFCLogitModel(NanoConvLogitModel):
    """As :class:`NanoConvLogitModel`, with a dense policy head."""

    dense_policy = True
