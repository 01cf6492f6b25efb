"""A Hydra sweeper for sets of curves."""
