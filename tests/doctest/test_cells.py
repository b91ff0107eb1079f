"""Notebooks run by the kernel's rules, and documents with packages and sections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doctest.test_command import Doctest, doctest

__all__ = ["doctest"]


def notebook(path: Path, cells: list[tuple[str, list[dict[str, Any]]]]) -> Path:
    book = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": outputs,
                "source": source,
            }
            for source, outputs in cells
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 2,
    }
    path.write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def stream(text: str) -> dict[str, Any]:
    return {"name": "stdout", "output_type": "stream", "text": text}


def value(text: str) -> dict[str, Any]:
    data = {"text/plain": text}
    return {"data": data, "execution_count": 1, "metadata": {}, "output_type": "execute_result"}


def test_cells_take_what_the_kernel_takes(tmp_path: Path, doctest: Doctest) -> None:
    (tmp_path / "beside.txt").write_text("found\n")
    book = notebook(
        tmp_path / "book.ipynb",
        [
            ("type(itorch.image)", [value("function")]),
            ("?torch.add", []),
            ("%who", [stream("no user variables\n")]),
            ("x = 3", []),
            ("%time x", [value("3"), stream("9.99 ms (CPU 9.98 ms)\n")]),
            ("$ cat beside.txt", [stream("found\n")]),
            ("!echo shouted", [stream("shouted\n")]),
            ("print(x)\nx + 1", [stream("3\n"), value("4")]),
            ("x.y.z", [{"output_type": "error", "ename": "LuaError", "evalue": "...", "traceback": []}]),
            ("itorch.image(torch.rand(2, 2))", []),
        ],
    )
    done = doctest(str(book), "-v")
    assert done.returncode == 0, done.stdout
    assert "10 examples" in done.stdout and "0 failed" in done.stdout


def test_wrong_cells_fail_and_are_updated(tmp_path: Path, doctest: Doctest) -> None:
    book = notebook(tmp_path / "book.ipynb", [("$ echo new", [stream("old\n")]), ("1 + 1", [value("3")])])
    assert doctest(str(book)).returncode == 1
    assert doctest(str(book), "--update").returncode == 0
    cells = json.loads(book.read_text())["cells"]
    assert [cell["outputs"][0].get("text") for cell in cells] == [["new\n"], None]
    assert cells[1]["outputs"][0]["data"] == {"text/plain": ["2\n"]}
    assert doctest(str(book)).returncode == 0


@pytest.mark.slow
def test_a_cell_that_does_not_end_fails(tmp_path: Path, doctest: Doctest) -> None:
    book = notebook(tmp_path / "book.ipynb", [("while true do end", []), ("os.exit(3)", [])])
    done = doctest(str(book), "--timeout", "3")
    assert done.returncode == 1 and "timed out after 3 s" in done.stdout
    book = notebook(tmp_path / "book.ipynb", [("os.exit(3)", [])])
    assert "the process ended with status 3" in doctest(str(book)).stdout


@pytest.mark.slow
def test_a_notebook_that_the_kernel_executed_passes(
    tmp_path: Path, doctest: Doctest, monkeypatch: pytest.MonkeyPatch
) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    from t7shell.kernel import command

    assert command.main(["install", "--prefix", str(tmp_path / "jupyter")]) == 0
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter" / "share" / "jupyter"))
    sources = [
        "require 'nn'\ntorch.manualSeed(1)\nnet = nn.Sequential():add(nn.Linear(2, 3))\nnet",
        "net:forward(torch.ones(2))",
        "?nn.Linear",
        "%time torch.ones(3):sum()",
        "%who",
        "$ echo hello",
        "local t = {1, a = 2}\nt",
        "torch.ones(2):add(torch.ones(3))",
        "itorch.image(torch.rand(3, 4, 4))",
        "itorch.html('<b>x</b>')",
        "x = 1\nx\nx + 1",
        "io.stderr:write('aside\\n')",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    book.metadata["kernelspec"] = {"name": "t7", "display_name": "t7", "language": "lua"}
    client.NotebookClient(book, allow_errors=True, timeout=60, kernel_name="t7").execute()
    path = tmp_path / "book.ipynb"
    nbformat.write(book, path)
    done = doctest(str(path), "-v")
    assert done.returncode == 0, done.stdout


def test_packages_of_the_command_line_and_of_front_matter(tmp_path: Path, doctest: Doctest) -> None:
    page = tmp_path / "page.md"
    text = "```\n> nn.Linear(2, 3)\nnn.Linear(2 -> 3)\n```\n"
    page.write_text(text)
    assert doctest(str(page)).returncode == 1
    assert doctest(str(page), "-l", "nn").returncode == 0
    for front in ("packages: nn", "packages: [optim, nn]", "packages:\n  - nn\n  - optim"):
        page.write_text(f"---\ntitle: a page\n{front}\n---\n\n# Page\n\n{text}")
        assert doctest(str(page)).returncode == 0, front
    done = doctest(str(page), "-l", "no_such")
    assert done.returncode == 2
    assert "cannot load the package no_such" in done.stderr


def test_packages_after_a_reset(tmp_path: Path, doctest: Doctest) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "---\npackages: nn\n---\n```\n> nn.Linear(2, 3)\nnn.Linear(2 -> 3)\n"
        "> -- t7: reset\n> nn ~= nil\ntrue\n```\n"
    )
    assert doctest(str(page)).returncode == 0


SECTIONS = """\
# One
```
> torch.setdefaulttensortype('torch.FloatTensor')
> kept = 7
> torch.Tensor(1):type()
torch.FloatTensor
```
## Two
```
> torch.Tensor(1):type()
torch.DoubleTensor
> kept
7
```
"""


def test_sections_begin_with_the_default_type(tmp_path: Path, doctest: Doctest) -> None:
    page = tmp_path / "page.md"
    page.write_text(SECTIONS)
    assert doctest(str(page)).returncode == 1
    assert doctest(str(page), "--sections").returncode == 0
