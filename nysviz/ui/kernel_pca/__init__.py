"""What the page "Kernel PCA" is made of."""
