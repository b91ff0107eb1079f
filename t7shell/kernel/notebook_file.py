"""Notebooks as JSON: reading them, with errors that say what is wrong and where."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from t7shell.host import encoding

_SHOWN = 20  # characters of a text that is not JSON


class NotebookError(ValueError):
    """A file that is not a notebook, or one that cannot be rewritten without changing the rest of it."""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as reason:
        rest = text[reason.pos : reason.pos + _SHOWN]
        line = rest.split("\n")[0].rstrip()
        got = f"'{encoding.plain(line)}'" if line else f"the end of the {'line' if rest else 'file'}"
        where = f"line {reason.lineno}, column {reason.colno}"
        raise NotebookError(f"not a notebook: {where} is not JSON (got {got})") from None
    except RecursionError:
        raise NotebookError("not a notebook: its lists and objects are nested too deeply") from None
    except ValueError:
        raise NotebookError("not a notebook: a number in it has too many digits") from None


def load(text: str) -> dict[str, Any]:
    """The notebook in a text, whose cells have the fields of the format. Raises NotebookError."""
    book = _json(text)
    if not isinstance(book, dict) or not ("cells" in book or "worksheets" in book):
        raise NotebookError("not a notebook: there are no cells")
    for sheet in _list_of(dict, book, "worksheets", "the notebook"):
        _list_of(dict, sheet, "cells", "a worksheet")
    _list_of(dict, book, "cells", "the notebook")
    if not isinstance(book.get("metadata", {}), dict):
        raise _wrong("metadata", "the notebook", "an object", book["metadata"])
    for number, cell in enumerate(cells_of(book), 1):
        _check_cell(cell, f"cell {number}")
    return book


def _check_cell(cell: Mapping[str, Any], where: str) -> None:
    """Raises NotebookError unless the fields that are read here have the kinds of the format."""
    for key in ("input", "source"):
        _check_text(cell, key, where)
    for output in _list_of(dict, cell, "outputs", where):
        for key in ("text", "evalue", "traceback"):
            _check_text(output, key, f"an output of {where}")
        data = output.get("data", {})
        if not isinstance(data, dict):
            raise _wrong("data", f"an output of {where}", "an object", data)
        _check_text(data, "text/plain", f"an output of {where}")


def _check_text(fields: Mapping[str, Any], key: str, where: str) -> None:
    value = fields.get(key, "")
    if not isinstance(value, str) and not (key == "evalue" and value is None):
        _list_of(str, fields, key, where)
    try:
        joined(value or "").encode()
    except UnicodeEncodeError as reason:
        raise NotebookError(f"not a notebook: {key} of {where} is not Unicode: {reason.reason}") from None


def joined(text: str | Sequence[str]) -> str:
    """A text of a notebook, which may be a list of its lines."""
    return text if isinstance(text, str) else "".join(text)


def _list_of(kind: type, fields: Mapping[str, Any], key: str, where: str) -> list[Any]:
    """A list of a field, empty where there is none. Raises NotebookError for anything else."""
    value = fields.get(key, [])
    wrong = [value] if not isinstance(value, list) else [item for item in value if not isinstance(item, kind)]
    if wrong:
        raise _wrong(key, where, "a list of " + ("lines" if kind is str else "objects"), wrong[0])
    return list(value)


def _wrong(key: str, where: str, wanted: str, value: Any) -> NotebookError:
    got = "null" if value is None else type(value).__name__
    return NotebookError(f"not a notebook: {key} of {where} must be {wanted} (got {got})")


def cells_of(book: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook, in nbformat 3 those of all worksheets."""
    if "cells" in book:
        return list(book["cells"])
    return [cell for sheet in book["worksheets"] for cell in sheet.get("cells", ())]
