"""What the package `cutorch` asks of the system."""
