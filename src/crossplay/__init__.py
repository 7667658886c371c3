"""Crossplay: learn board games and measure what can be carried from one to another."""

from crossplay.kernel_cache import use_kernel_cache

use_kernel_cache()

__version__ = "0.1.0"
