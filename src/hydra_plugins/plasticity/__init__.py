"""Hydra plugins: launchers for grids, and a sweeper for sets of curves."""
