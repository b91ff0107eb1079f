"""Python's part of the package `itorch`: media and plots in notebooks."""
