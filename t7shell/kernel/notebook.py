"""`t7 notebook upgrade`: converts notebooks of iTorch to the current format of Jupyter.

Jupyter reads the name of the kernel from a notebook, and notebooks of nbformat 3 have no such entry.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from t7shell.engine import command_line
from t7shell.host import atomic_write, encoding
from t7shell.host.failures import text_of
from t7shell.kernel.command import KERNELS
from t7shell.kernel.notebook_file import NotebookError, load

_MISSING = "nbformat is missing: python3 -m pip install ipykernel nbformat"
_LANGUAGE = {"name": "lua", "file_extension": ".lua", "mimetype": "text/x-lua"}


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 notebook` with its arguments; returns the exit status."""
    parser = argparse.ArgumentParser("t7 notebook", description="Notebooks of Jupyter and iTorch.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="upgrade")
    upgrade = actions.add_parser("upgrade", help="write old notebooks in nbformat 4, with a kernel")
    upgrade.add_argument("files", nargs="+", metavar="FILE")
    upgrade.add_argument("-o", "--output", metavar="FILE", help="write there, and leave the old file")
    upgrade.add_argument("--kernel", choices=list(KERNELS), default="t7", help="where none is named: t7")

    def work(options: argparse.Namespace) -> int:
        if options.output and len(options.files) > 1:
            parser.error("--output is for one file")
        return _upgrade_files(options.files, options.output, options.kernel)

    return command_line.run(parser, arguments, work)


def _upgrade_files(paths: Sequence[str], output: str | None, kernel: str) -> int:
    status = 0
    for path in paths:
        try:
            encoding.tell(_upgrade_file(path, output or path, kernel) + "\n", sys.stdout)
        except (OSError, ValueError) as reason:
            encoding.tell(f"t7 notebook: {path}: {text_of(reason)}\n")
            status = 1
    return status


def _upgrade_file(path: str, target: str, kernel: str) -> str:
    """Writes a notebook in the current format; prints the changes."""
    with open(path, encoding="utf-8-sig") as file:
        try:
            text = file.read()
        except UnicodeDecodeError as reason:
            got = reason.object[reason.start]
            raise NotebookError(f"not a notebook: it is not UTF-8 (got the byte 0x{got:02x})") from None
    new = upgraded(text, kernel)
    if new == text and target == path:
        return f"{path}: nothing to do"
    with atomic_write.replacing_path(target) as temporary, open(temporary, "w", encoding="utf-8") as out:
        out.write(new)
    return f"{target}: nbformat 4, kernel {json.loads(new)['metadata']['kernelspec']['name']}"


def _names_kernel(book: dict[str, Any]) -> bool:
    found: Any = book
    for key in ("metadata", "kernelspec", "name"):
        found = found.get(key) if isinstance(found, dict) else None
    return isinstance(found, str) and found != ""


def upgraded(text: str, kernel: str = "t7") -> str:
    """A notebook in nbformat 4 that names its kernel; one that already does is not changed.

    Raises NotebookError for other files, and ImportError without nbformat.
    """
    try:
        nbformat: Any = import_module("nbformat")
    except ImportError:
        raise ImportError(_MISSING) from None
    book: Any = load(text)
    version = book.get("nbformat")
    if type(version) is not int:
        raise NotebookError("not a notebook: the version number nbformat is missing")
    if version >= 4 and _names_kernel(book):
        return text
    try:
        book = nbformat.reads(text, as_version=4)
        # The identifiers that nbformat makes are random.
        for number, cell in enumerate(book.cells, 1):
            if "id" in cell:
                cell["id"] = f"cell-{number}"
        for entry in ("language", "name", "signature", "orig_nbformat", "orig_nbformat_minor"):
            book.metadata.pop(entry, None)
        book.metadata["kernelspec"] = {"name": kernel, "display_name": KERNELS[kernel], "language": "lua"}
        book.metadata["language_info"] = _LANGUAGE
        nbformat.validate(book)
    except Exception as reason:  # nbformat raises exceptions of several kinds.
        lines = str(reason).splitlines() or [type(reason).__name__]
        raise NotebookError(f"not a notebook: {lines[0]}") from None
    return str(nbformat.writes(book)) + "\n"
