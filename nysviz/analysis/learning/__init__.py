"""Learning with the approximation: kernel PCA, LS-SVM, and linear machines on kernel features."""
