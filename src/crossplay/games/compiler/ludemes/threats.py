"""Whether a piece could be taken."""
