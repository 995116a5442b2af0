"""What the page "Tournament" is made of."""
