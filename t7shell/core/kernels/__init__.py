"""Kernels in Python, by kind: what NumPy and SciPy do best, for one call each."""
