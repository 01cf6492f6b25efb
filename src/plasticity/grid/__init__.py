"""Many runs: what is left to do of a grid, and doing it in jobs on this machine or a cluster."""
