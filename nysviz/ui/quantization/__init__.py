"""What the page "Quantization" is made of."""
