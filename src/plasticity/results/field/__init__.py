"""Numbers that others published, and ours beside them."""
