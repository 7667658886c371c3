"""How well values agree with what they foretell."""

from __future__ import annotations

import torch

BINS = 10  # of equal width between -1 and 1


def calibration_bins(values: torch.Tensor, outcomes: torch.Tensor) -> torch.Tensor:
    """Predictions by their size.

    Args:
        values: ``[B]`` predicted values.
        outcomes: ``[B]`` what happened, between -1 and 1.

    Returns:
        ``float64[2, BINS]``: how many predictions lie in each bin, and the sum of their differences from what
        happened. Such bins add up.
    """
    number = ((values + 1.0) * (BINS / 2)).long().clamp(0, BINS - 1)
    bins = torch.zeros(2, BINS, dtype=torch.float64, device=values.device)
    bins[0].index_add_(0, number, torch.ones_like(values, dtype=torch.float64))
    bins[1].index_add_(0, number, (values - outcomes).double())
    return bins


def calibration_error(bins: torch.Tensor) -> float:
    """The expected calibration error: by how much predictions of a size are off on average.

    Source: Naeini et al. 2015, "Obtaining well calibrated probabilities using Bayesian binning", section
    on measures, for values instead of probabilities.
    """
    count = float(bins[0].sum())
    return float(bins[1].abs().sum()) / count if count > 0 else 0.0
