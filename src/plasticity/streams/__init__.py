"""The sequence of tasks that a network meets."""
