"""Self-play: actors that fill a replay buffer, and minibatches drawn from it."""

from crossplay.selfplay.actor import Actor
from crossplay.selfplay.buffer import Minibatch, ReplayBuffer

__all__ = ["Actor", "Minibatch", "ReplayBuffer"]
