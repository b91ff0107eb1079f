"""The command `t7 annotations`: declarations of torch and other packages for lua-language-server."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from t7shell.engine import command_line
from t7shell.engine.engine import Engine
from t7shell.host import encoding

# Parts of other packages, and modules for the shell only.
_LEFT_OUT = {"shell", "pl", "env", "cutorch", "cunn", "cudnn", "cltorch", "clnn"}


def main(arguments: Sequence[str]) -> int:
    """Writes the files; returns the exit status."""
    parser = argparse.ArgumentParser(
        "t7 annotations",
        description="Write annotations for lua-language-server, a file for each package.",
        epilog="Name the folder in the settings of the editor, under Lua.workspace.library.",
    )
    parser.add_argument("folder", type=Path)
    return command_line.run(parser, arguments, lambda options: _write(options.folder))


def _write(folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in texts().items():
        (folder / f"{name}.lua").write_text(source, encoding="utf-8")
    return 0


def texts() -> dict[str, str]:
    """The text of each file, by package."""
    engine = Engine()
    names = {name.split(".")[0] for name in os.listdir(engine.directory)} - _LEFT_OUT
    # Packages are global variables, which have such names.
    names = {name for name in names if name.isidentifier()}
    found = {}
    for name in sorted(names, key=lambda name: (name != "torch", name)):
        result = engine.call(engine.helper("shell.annotations"), name)
        # A package may lack a dependency, h5py for instance.
        if result.ok and isinstance(result.values[0], str):
            found[name] = encoding.from_lua(result.values[0])
    return found
