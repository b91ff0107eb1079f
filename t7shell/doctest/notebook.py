"""Notebooks of Jupyter and of iTorch (nbformat 3 and 4): their code cells, and writing outputs back.

A notebook is read as JSON. Line numbers are those of the lines of the file that contain the source.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from t7shell.doctest.model import Line, Region
from t7shell.kernel.notebook_file import NotebookError, cells_of, joined, load

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Za-z0-9]")
_RESULTS = ("execute_result", "pyout")
_ERRORS = ("error", "pyerr")


def notebook_regions(text: str) -> list[Region]:
    """The code cells of a notebook in their order. Raises NotebookError."""
    finder = _Finder(text)
    regions = []
    for number, cell in enumerate(cells_of(load(text))):
        # nbformat 3 calls the source of code cells input.
        source = cell.get("input", cell.get("source", ""))
        parts = source.split("\n") if isinstance(source, str) else [part.rstrip("\n") for part in source]
        lines = [finder.line(part) for part in parts]
        if cell.get("cell_type") == "code" and any(line.text.strip() for line in lines):
            shown = "\n".join(filter(None, map(_text_of, cell.get("outputs", ())))).split("\n")
            output = [Line(lines[-1].number, part) for part in shown if part.strip()]
            regions.append(Region(tuple(lines), tuple(output), cell=number))
    return regions


def rewrite(text: str, outputs: Mapping[int, str]) -> str:
    """The notebook with the outputs of some cells replaced. Raises NotebookError."""
    book = load(text)
    layout = _layout(text, book)
    cells = cells_of(book)
    for number, output in outputs.items():
        cell = cells[number]
        kept = [item for item in cell["outputs"] if not _is_text(item)]
        model = next(filter(_is_text, cell["outputs"]))
        cell["outputs"] = [_like(model, output), *kept]
    return _written(book, *layout)


def _text_of(output: Mapping[str, Any]) -> str:
    """The text of one output without colours; '' for pictures and other things that are not compared."""
    kind = output.get("output_type")
    if not _is_text(output):
        text = ""
    elif kind == "stream":
        text = joined(output.get("text", ""))
    elif kind in _RESULTS:
        text = joined(output.get("data", {}).get("text/plain", output.get("text", "")))
    else:
        text = str(joined(output.get("evalue") or "") or "\n".join(output.get("traceback", ())))
    return _ANSI.sub("", text).rstrip("\n")


def _is_text(output: Mapping[str, Any]) -> bool:
    """Tells whether an output is compared: pictures and the standard error are not."""
    kind = output.get("output_type")
    if kind == "stream":
        return bool(output.get("name", output.get("stream", "stdout")) == "stdout")
    return kind in (*_RESULTS, *_ERRORS)


def _like(model: dict[str, Any], text: str) -> dict[str, Any]:
    """An output of the same kind as another with its text replaced; lines are a list, as Jupyter writes
    them."""
    lines = text.splitlines(keepends=True)
    if model.get("output_type") in _ERRORS:
        name = "stream" if model["output_type"] == "pyerr" else "name"
        return {"output_type": "stream", name: "stdout", "text": lines}
    if model.get("output_type") in _RESULTS and "data" in model:
        return {**model, "data": {**model["data"], "text/plain": lines}}
    return {**model, "text": lines}


def _layout(text: str, book: Any) -> tuple[int | None, bool, str]:
    """The layout of a file: indentation, whether non-ASCII characters are escaped, and its end."""
    end = "\n" if text.endswith("\n") else ""
    for indent in (1, 2, 4, None):
        for ascii_only in (False, True):
            if _written(book, indent, ascii_only, end) == text:
                return indent, ascii_only, end
    raise NotebookError("the JSON is not laid out as Jupyter does: writing it back would change all of it")


def _written(book: Any, indent: int | None, ascii_only: bool, end: str) -> str:
    return json.dumps(book, indent=indent, ensure_ascii=ascii_only) + end


class _Finder:
    """Finds the lines of sources in the text of the file, one after the other."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def line(self, part: str) -> Line:
        if part:
            found = [at for at in map(self._find, (True, False), (part, part)) if at >= 0]
            if found:
                self._line += self._text.count("\n", self._at, min(found))
                self._at = min(found)
        return Line(self._line, part)

    def _find(self, ascii_only: bool, part: str) -> int:
        return self._text.find(json.dumps(part, ensure_ascii=ascii_only)[1:-1], self._at)
