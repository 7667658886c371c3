"""Crossplay: learn board games and measure what can be carried from one to another."""
