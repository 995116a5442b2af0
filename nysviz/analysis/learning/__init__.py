"""What the approximation is for: kernel PCA, LS-SVM, and linear machines on kernel features."""
