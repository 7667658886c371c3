"""What corresponds to what between two games, and moving a network's parameters across."""

from crossplay.transfer.channels import map_channels
from crossplay.transfer.mapping import ChannelMapping, ChannelMatch
from crossplay.transfer.parameters import MODES, transfer_parameters

__all__ = ["MODES", "ChannelMapping", "ChannelMatch", "map_channels", "transfer_parameters"]
