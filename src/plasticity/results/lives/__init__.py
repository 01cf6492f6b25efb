"""The lives of units: survival, ages, balance, and pictures of them and of networks."""
