"""Search over any game, as numba kernels on flat arrays.

* :mod:`crossplay.search.playout`: random games.
* :mod:`crossplay.search.tree`: trees of many games in a few blocks of arrays, and a search's parameters;
  :mod:`crossplay.search.steps` and :mod:`crossplay.search.root`: what all searches do with them.
* :mod:`crossplay.search.uct`: search with random playouts, the untrained opponent.
* :mod:`crossplay.search.puct`: search with a network, batched over games.
* :mod:`crossplay.search.selfplay`: games played by search against itself; how they are played,
  :mod:`crossplay.search.playing`, and what is recorded of them for training, :mod:`crossplay.search.records`.

Import from the modules: each compiles its kernels when it is first imported (seconds once, then cached).
"""
