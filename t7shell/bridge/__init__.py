"""Lua and Python sharing values: the Python API, objects and arrays on the memory of tensors, networks."""

from __future__ import annotations

import sys

from t7shell.host import hooks


def _show_pictures_in_cells() -> None:
    if "IPython" in sys.modules:
        from t7shell.magics import show_pictures_in_cells

        show_pictures_in_cells()


hooks.new_runtime.append(_show_pictures_in_cells)
