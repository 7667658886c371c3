"""Matches between players, and what their scores are worth.

* :mod:`crossplay.evaluation.players`: who can play, and how a player is written down.
* :mod:`crossplay.evaluation.match`: many games between two players, both taking each seat equally often.
* :mod:`crossplay.evaluation.intervals`: confidence intervals of scores.
"""
