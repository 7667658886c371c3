"""Policy-value networks: architectures by name, model files, batched evaluation."""

from crossplay.networks.base import PolicyValueNetwork, expected_value
from crossplay.networks.files import ModelHeader, load_model, read_header, save_model
from crossplay.networks.inference import Evaluator, choose_device, fold_batch_norm
from crossplay.networks.registry import ARCHITECTURES, build_network
from crossplay.networks.statistics import recompute_statistics

__all__ = [
    "ARCHITECTURES",
    "Evaluator",
    "ModelHeader",
    "PolicyValueNetwork",
    "build_network",
    "choose_device",
    "expected_value",
    "fold_batch_norm",
    "load_model",
    "read_header",
    "recompute_statistics",
    "save_model",
]
