"""`t7 notebook upgrade`."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from t7shell.cli.main import main
from tests.kernel.test_notebooks import format_3, format_4

nbformat = pytest.importorskip("nbformat")


def old_book() -> dict[str, Any]:
    book = format_3()
    cells = book["worksheets"][0]["cells"]
    cells[0]["outputs"] = [{"output_type": "stream", "stream": "stdout", "text": ["made\n"]}]
    value = {"output_type": "pyout", "prompt_number": 2, "text": ["  7  10\n"], "metadata": {}}
    cells[1]["outputs"] = [value]
    cells.insert(0, {"cell_type": "heading", "level": 2, "metadata": {}, "source": ["Title"]})
    return book


def test_an_old_notebook_is_of_today(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps(old_book()))
    assert main(["notebook", "upgrade", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: nbformat 4, kernel t7\n"
    first = path.read_text()
    book = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(book)
    assert (book.nbformat, book.metadata.kernelspec.name) == (4, "t7")
    assert book.cells[0].cell_type == "markdown" and book.cells[0].source == "## Title"
    assert book.cells[1].outputs[0].text == "made\n"
    assert book.cells[2].outputs[0].data["text/plain"] == "  7  10\n"
    path.write_text(json.dumps(old_book()))
    assert main(["notebook", "upgrade", str(path)]) == 0
    assert path.read_text() == first
    assert main(["notebook", "upgrade", str(path)]) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_other_files_and_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, new = tmp_path / "old.ipynb", tmp_path / "new.ipynb"
    path.write_text(json.dumps(old_book()))
    before = path.read_text()
    assert main(["notebook", "upgrade", "-o", str(new), "--kernel", "itorch", str(path)]) == 0
    assert path.read_text() == before
    assert json.loads(new.read_text())["metadata"]["kernelspec"]["display_name"] == "iTorch (t7)"
    without = copy.deepcopy(format_4())
    del without["metadata"]["kernelspec"]
    new.write_text(json.dumps(without))
    assert main(["notebook", "upgrade", str(new)]) == 0
    assert json.loads(new.read_text())["metadata"]["kernelspec"]["name"] == "t7"


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"nbformat": 3}', '{"nbformat": 4, "cells": 3}'])
def test_what_is_no_notebook_stays(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "old.ipynb"
    path.write_text(text)
    assert main(["notebook", "upgrade", str(path)]) == 1
    assert "not a notebook" in capsys.readouterr().err
    assert path.read_text() == text
    assert main(["notebook", "upgrade", str(tmp_path / "none")]) == 1


def broken(capsys: pytest.CaptureFixture[str], path: Path, text: bytes) -> str:
    """What `t7 notebook upgrade` says about a file."""
    path.write_bytes(text)
    assert main(["notebook", "upgrade", str(path)]) == 1
    return capsys.readouterr().err.partition("not a notebook: ")[2]


def test_errors_say_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, expected in {
        b"": "line 1, column 1 is not JSON (got the end of the file)\n",
        b'{"cells": [\n  }]}': "line 2, column 3 is not JSON (got '}]}')\n",
        b'{"cells":\n': "line 2, column 1 is not JSON (got the end of the file)\n",
        b'{"cells": ["\x1b': "line 1, column 13 is not JSON (got '\\x1b')\n",
        b"[" * 100000: "its lists and objects are nested too deeply\n",
        b"9" * 5000: "a number in it has too many digits\n",
        b'{"cells": ["\xe9"]}': "it is not UTF-8 (got the byte 0xe9)\n",
        b'{"nbformat": 4, "cells": [null]}': "cells of the notebook must be a list of objects (got null)\n",
        b'{"cells": [], "metadata": 5}': "metadata of the notebook must be an object (got int)\n",
    }.items():
        assert broken(capsys, tmp_path / "old.ipynb", text) == expected


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(format_3()).encode())
    assert main(["notebook", "upgrade", str(path)]) == 0
    assert json.loads(path.read_text())["nbformat"] == 4


@pytest.mark.slow
def test_nbconvert_needs_no_kernel_then(kernels: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    path.write_text(json.dumps(format_3()))
    assert main(["notebook", "upgrade", str(path)]) == 0
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(path.read_text())["cells"][0]["outputs"][0]["text"] == ["made\n"]
