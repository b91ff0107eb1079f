"""Reading a file as the kind of document it is."""

from __future__ import annotations

import os
from pathlib import Path

from t7shell.doctest.lua_file import lua_regions
from t7shell.doctest.markdown import has_fences, markdown_regions
from t7shell.doctest.model import Region, split_lines
from t7shell.doctest.notebook import notebook_regions
from t7shell.doctest.plain import plain_regions
from t7shell.engine.file_bytes import read_whole
from t7shell.host.atomic_write import replacing_path

MARKDOWN = (".md", ".markdown")
NOTEBOOK = ".ipynb"
LUA = ".lua"
# Suffixes to look for in folders; a Lua file is run only if it is named.
IN_FOLDERS = (*MARKDOWN, ".txt", NOTEBOOK)
SUFFIXES = (*IN_FOLDERS, LUA)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file; bytes that are not UTF-8 and the ends of lines stay as they are."""
    return read_whole(os.fspath(path)).decode(errors="surrogateescape")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Replaces a file by a text as `read_text` reads it."""
    with (
        replacing_path(path) as temporary,
        open(temporary, "w", encoding="utf-8", errors="surrogateescape", newline="") as file,
    ):
        file.write(text)


def find_regions(text: str, suffix: str = ".txt") -> list[Region]:
    """The code regions of a text from a file with this suffix. Text with fences is Markdown with any
    suffix."""
    # Some editors begin a file with a byte order mark.
    text = text.removeprefix("\ufeff")
    if suffix == NOTEBOOK:
        return notebook_regions(text)
    lines = split_lines(text)
    if suffix == LUA:
        return lua_regions(text, lines)
    if suffix in MARKDOWN or has_fences(lines):
        return markdown_regions(lines)
    return plain_regions(lines)


def find_documents(paths: list[str]) -> list[str]:
    """The documents among files and, by their suffixes, in folders. Raises OSError for missing files."""
    found: list[str] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.suffix in IN_FOLDERS and file.is_file())
            found += [str(file) for file in inside if not _hidden(file.relative_to(path))]
        else:
            path.stat()
            found.append(name)
    return found


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") or part in ("node_modules", "__pycache__") for part in path.parts)
