"""2048 learned by n-tuple networks: the game, the learning rules, search, and what grew around them."""
