"""A run: its configuration, its identity, its folder, and doing it so that it can stop anywhere and go on."""
