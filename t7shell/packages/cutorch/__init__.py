"""Python's part of the package `cutorch`: devices of PyTorch and properties of the system."""
