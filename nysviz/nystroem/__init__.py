"""From data, kernel and method to a low-rank approximation, and its errors."""
