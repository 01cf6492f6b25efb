"""Growing and elastic neural networks in online continual learning."""

__version__ = "0.2.0"
