"""Experiments and claims of papers after the four, on methods of this package."""
