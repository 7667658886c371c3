"""Games: load one by name, play it, and read what its tensors mean."""

from crossplay.games.compiler import known_ludemes
from crossplay.games.game import Game, LegalMove, list_games, load_game, translate

__all__ = ["Game", "LegalMove", "known_ludemes", "list_games", "load_game", "translate"]
