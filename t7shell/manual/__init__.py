"""The manual of this installation: its chapters, an index of names, and full-text search."""

from t7shell.manual.chapters import Section
from t7shell.manual.index import Entry, Manual, load

__all__ = ["Entry", "Manual", "Section", "load"]
