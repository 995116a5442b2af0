"""What the page "Claims" is made of."""
