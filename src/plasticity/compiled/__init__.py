"""Compiled code: vector building blocks, the loops made of them, and how networks are laid out for those."""
