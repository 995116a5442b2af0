"""What the page "Spectrum" is made of."""
