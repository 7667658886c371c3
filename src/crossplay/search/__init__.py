"""Search over any game, as numba kernels on flat arrays.

* :mod:`crossplay.search.playout`: random games.
* :mod:`crossplay.search.tree`: trees of many games in one block of arrays, and the steps of a search.
* :mod:`crossplay.search.uct`: search with random playouts, the untrained opponent.
* :mod:`crossplay.search.puct`: search with a network, batched over games.
* :mod:`crossplay.search.selfplay`: games played by search against itself, recorded for training.

Import from the modules: each compiles its kernels when it is first imported (seconds once, then cached).
"""
