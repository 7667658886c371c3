"""Training networks by self-play."""

from crossplay.training.model import model_header, new_network
from crossplay.training.train import TrainingResult, can_resume, train

__all__ = ["TrainingResult", "can_resume", "model_header", "new_network", "train"]
