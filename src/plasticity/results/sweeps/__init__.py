"""A run in one number, such as its settled size, against a setting that was swept: figures and tables."""
