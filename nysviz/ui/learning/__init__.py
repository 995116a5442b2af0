"""What the page "Learning" is made of."""
