"""The papers: the experiments of each one beside the claims that they decide."""
