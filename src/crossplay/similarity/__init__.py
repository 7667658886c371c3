"""How alike two games are: by their rules as written, and by the moves that can follow."""

from crossplay.similarity.compare import SimilarityTable, compare_games
from crossplay.similarity.continuations import continuations, local_tree
from crossplay.similarity.ludemes import LudemeTree, game_tree, ludeme_tree, tree_distance, tree_similarity

__all__ = [
    "LudemeTree",
    "SimilarityTable",
    "compare_games",
    "continuations",
    "game_tree",
    "local_tree",
    "ludeme_tree",
    "tree_distance",
    "tree_similarity",
]
