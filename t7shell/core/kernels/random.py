"""What random number generators need of Python."""

from __future__ import annotations

import os


def entropy() -> int:
    """A number of 48 bits from the operating system, for a seed that no one knows."""
    return int.from_bytes(os.urandom(6), "little")
