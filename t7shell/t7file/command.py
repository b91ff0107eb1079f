"""The commands `t7 inspect` and `t7 convert`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from t7shell import encoding
from t7shell.t7file.describe import describe
from t7shell.t7file.model import Object, T7FileError
from t7shell.t7file.reader import load
from t7shell.t7file.writer import save

USAGE = """\
usage: t7 inspect file.t7 ...               shows what files hold
       t7 convert from.t7 to.npz            writes all tensors of a file, named by their places
       t7 convert from.npz to.t7            writes a table of tensors
"""


def main(arguments: Sequence[str]) -> int:
    """Runs the command of the first argument; returns the exit status."""
    name, *files = arguments
    if "-h" in files or "--help" in files:
        encoding.write(USAGE, sys.stdout)
        return 0
    extensions = [os.path.splitext(file)[1] for file in files]
    try:
        if name == "inspect" and files:
            return _inspect(files)
        if name == "convert" and extensions == [".t7", ".npz"]:
            np.savez(files[1], **dict(arrays(load(files[0]))))  # type: ignore[arg-type]
            return 0
        if name == "convert" and extensions == [".npz", ".t7"]:
            with np.load(files[0], allow_pickle=False) as archive:
                save({key: archive[key] for key in archive.files}, files[1])
            return 0
    except (OSError, T7FileError, ValueError) as mistake:
        encoding.write(f"t7 {name}: {mistake}\n")
        return 1
    expected = "files" if name == "inspect" else "one .t7 and one .npz file"
    encoding.write(f"t7 {name}: {expected} expected, got {' '.join(files) or 'none'}\n{USAGE}")
    return 2


def _inspect(files: Sequence[str]) -> int:
    for file in files:
        value = load(file, mmap=True)
        if len(files) > 1:
            encoding.write(f"{file}:\n", sys.stdout)
        for line in describe(value):
            encoding.write(line + "\n", sys.stdout)
    return 0


def arrays(value: Any) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    """Lists the arrays below a value with their places, such as 'modules/1/weight'; each array once."""
    seen: set[int] = set()
    stack: list[tuple[str, Any]] = [("", value)]
    while stack:
        place, item = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            yield place or "value", np.asarray(item)
        if isinstance(item, Object):
            item = item.fields
        if isinstance(item, (dict, list)):
            pairs = item.items() if isinstance(item, dict) else enumerate(item, 1)
            prefix = place + "/" if place else ""
            stack.extend((f"{prefix}{key}", part) for key, part in reversed(list(pairs)))
