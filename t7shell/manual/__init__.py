"""The manual as it lies in the package: chapters, what they say about names, and searching in them."""

from t7shell.manual.index import Entry, Manual, load

__all__ = ["Entry", "Manual", "load"]
