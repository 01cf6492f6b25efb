"""What happens to units, and when."""
