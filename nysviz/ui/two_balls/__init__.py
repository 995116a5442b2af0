"""What the page "Two balls" is made of."""
