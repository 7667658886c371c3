"""What may be wrong with a network that does not learn or play as it should."""

from crossplay.diagnosis.model import Finding, examine

__all__ = ["Finding", "examine"]
