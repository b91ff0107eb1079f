"""The command `t7 annotations`: files by which lua-language-server completes and checks torch and others."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from t7shell.core import encoding
from t7shell.core.engine import Engine

USAGE = """\
usage: t7 annotations FOLDER    writes annotations for lua-language-server, a file for each package

Name the folder in the settings of the editor, under Lua.workspace.library.
"""

# Parts of other packages, and modules for the shell only.
_LEFT_OUT = {"shell", "pl", "env", "cutorch", "cunn", "cudnn", "cltorch", "clnn"}


def main(arguments: Sequence[str]) -> int:
    """Writes the files; returns the exit status."""
    if "-h" in arguments or "--help" in arguments:
        encoding.write(USAGE, sys.stdout)
        return 0
    if len(arguments) != 1:
        encoding.write(f"t7 annotations: one folder expected (got {' '.join(arguments) or 'none'})\n{USAGE}")
        return 2
    folder = Path(arguments[0])
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, source in texts().items():
            (folder / f"{name}.lua").write_text(source, encoding="utf-8")
    except OSError as reason:
        encoding.write(f"t7 annotations: {reason}\n")
        return 1
    return 0


def texts() -> dict[str, str]:
    """The text of each file, by package."""
    engine = Engine()
    names = {name.split(".")[0] for name in os.listdir(engine.directory)} - _LEFT_OUT
    # Others are not names of variables.
    names = {name for name in names if name.isidentifier()}
    found = {}
    for name in sorted(names, key=lambda name: (name != "torch", name)):
        result = engine.call(engine.helper("shell.annotations"), name)
        # A package may lack a dependency, h5py for instance.
        if result.ok and isinstance(result.values[0], str):
            found[name] = encoding.from_lua(result.values[0])
    return found
