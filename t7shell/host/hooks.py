"""Hooks: packages enter functions here, so that the engine knows none of them."""

from __future__ import annotations

from collections.abc import Callable

# For the end of an input, such as plots that wait to be shown: whether there is something to do, and what
# does it.
after_input: list[tuple[Callable[[], bool], Callable[[], None]]] = []

# Called when a Runtime is made.
new_runtime: list[Callable[[], None]] = []
