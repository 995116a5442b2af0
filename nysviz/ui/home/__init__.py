"""What the page "Home" is made of."""
