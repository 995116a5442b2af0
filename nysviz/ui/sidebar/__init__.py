"""The shared sidebar: which data, which kernel, which seed."""
