"""Notebooks that are none: whatever a file says, the error is one sentence."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from t7shell.cli.main import main
from t7shell.doctest.notebook import notebook_regions, rewrite
from t7shell.kernel import notebook
from t7shell.kernel.notebook_file import NotebookError

CELL = {
    "cell_type": "code", "execution_count": 1, "metadata": {}, "source": ["x = 1\n", "x"],
    "outputs": [
        {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "1"}, "execution_count": 1, "metadata": {}},
        {"output_type": "error", "ename": "e", "evalue": "v", "traceback": ["t"]},
    ],
}  # fmt: skip
KERNEL = {"kernelspec": {"name": "t7", "display_name": "t7", "language": "lua"}}
BOOK = {"cells": [CELL, CELL], "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 2}
OLD_CELL = {"cell_type": "code", "input": ["x = 1"], "language": "lua", "metadata": {},
            "outputs": [], "collapsed": False, "prompt_number": 1}  # fmt: skip
OLD = {"metadata": {"name": "x"}, "nbformat": 3, "nbformat_minor": 0,
       "worksheets": [{"cells": [OLD_CELL], "metadata": {}}]}  # fmt: skip
WRONG: list[Any] = [
    None,
    True,
    5,
    1e400,
    "x",
    "\ud800",
    [],
    [5],
    ["\ud800"],
    {},
    {"a": 1},
    [[]],
    [{}],
    [None],
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def changed(book: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The book with the value at a place replaced."""
    if not path:
        return value
    result = copy.deepcopy(book)
    at = result
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return result


def texts() -> Iterator[str]:
    for book in (BOOK, OLD):
        for path in places(book):
            for value in WRONG:
                yield json.dumps(changed(book, path, value))
    yield from ("", "5", "[" * 100_000, '{"cells":' * 50_000, "{}", '{"cells": [], "nbformat": 4}')


def test_regions_and_outputs() -> None:
    refused = 0
    for text in texts():
        try:
            for region in notebook_regions(text):
                for line in (*region.lines, *region.output):
                    assert isinstance(line.text, str) and line.text.encode() is not None
            rewrite(text, {0: "new\n"} if json.loads(text).get("cells") else {})
        except NotebookError as reason:
            refused += 1
            assert str(reason) and "\n" not in str(reason)
        except (KeyError, StopIteration):
            # A cell is rewritten only where it has outputs that were compared.
            pass
    assert refused > 300


def test_upgrades(monkeypatch: pytest.MonkeyPatch) -> None:
    # What nbformat logs quotes text that pytest-xdist cannot send.
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    pytest.importorskip("nbformat")
    refused = 0
    for text in texts():
        try:
            assert isinstance(notebook.upgraded(text), str)
        except NotebookError as reason:
            refused += 1
            assert str(reason) and "\n" not in str(reason)
    assert refused > 50


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"\xff\xfe",
        b'{"cells": 5, "nbformat": 4}',
        b'{"cells": [5], "nbformat": 4}',
        b'{"worksheets": [{"cells": 5}], "nbformat": 3}',
        b'{"cells": [{"cell_type": "code", "source": 5}], "nbformat": 4}',
        b'{"cells": [{"cell_type": "code", "source": "\\ud800"}], "nbformat": 4}',
        b'{"cells": [], "nbformat": "4"}',
        b'{"cells":' * 100_000,
    ],
)
def test_commands_have_no_traceback(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "x.ipynb"
    path.write_bytes(content)
    for command in (
        ("doctest", str(path)),
        ("notebook", "upgrade", str(path)),
        ("doctest", "--update", str(path)),
    ):
        status = main(command)
        errors = capsys.readouterr().err
        assert "Traceback" not in errors and (status == 0 or str(path) in errors), errors
    assert path.read_bytes() == content
