"""Entropy for random number generators."""

from __future__ import annotations

import os


def entropy() -> int:
    """A random number of 48 bits from the operating system, for a seed."""
    return int.from_bytes(os.urandom(6), "little")
