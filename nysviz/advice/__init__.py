"""Bandwidth, method and number of landmarks for one's own data."""
