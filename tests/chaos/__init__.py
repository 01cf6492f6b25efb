"""Grids that are disturbed at random, on this machine and on SLURM, and must end as if nobody had touched them."""
