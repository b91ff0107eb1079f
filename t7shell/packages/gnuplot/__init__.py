"""Plots: Python's part of the package `gnuplot`, on matplotlib, which is imported when something is drawn."""
