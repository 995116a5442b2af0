"""Numerics: blocks of rows, jitted loops, LAPACK, memory. Knows no kernel and no method."""
