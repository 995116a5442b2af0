"""What the page "Recommend" is made of."""
