"""From data, kernel and method to a low-rank approximation, and how far it is from K."""
