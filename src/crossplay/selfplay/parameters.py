"""What the settings of self-play mean to the kernels."""

from __future__ import annotations

from crossplay.config import SelfPlaySettings
from crossplay.search.playing import PlayParameters, play_parameters
from crossplay.search.tree import SearchParameters, search_parameters


def search_of(settings: SelfPlaySettings) -> SearchParameters:
    """How full searches search."""
    return search_parameters(
        settings.simulations,
        exploration=settings.exploration,
        first_play=settings.first_play,
        first_play_reduction=settings.first_play_reduction,
        forced_playouts=settings.forced_playouts,
        noise_fraction=settings.noise_fraction,
        noise_alpha=settings.noise_alpha,
        terminal_weight=settings.terminal_weight,
        tree_reuse=settings.tree_reuse,
        considered=settings.considered,
        value_scale=settings.value_scale,
    )


def play_of(settings: SelfPlaySettings) -> PlayParameters:
    """How games are played beside the searches."""
    return play_parameters(
        settings.temperature_plies,
        sampling=settings.sampling,
        random_movers=settings.random_movers,
        random_starts=settings.random_starts,
        resign_share=settings.resign_share,
        resign_threshold=settings.resign_threshold,
        resign_plies=settings.resign_plies,
        full_search_share=settings.full_search_share,
    )
