"""What the page "Bounds" is made of."""
