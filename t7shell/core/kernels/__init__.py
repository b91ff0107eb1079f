"""Kernels in Python: operations that NumPy computes fastest, one call each."""
