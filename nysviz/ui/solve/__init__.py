"""What the page "Solve" is made of."""
