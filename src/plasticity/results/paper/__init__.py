"""The paper: its statements, and a verdict on each."""
