"""What the page "Approximate" is made of."""
