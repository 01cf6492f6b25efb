"""Hydra's `-m`, made for grids of short runs; Hydra finds plugins only in this namespace."""
