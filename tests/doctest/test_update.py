"""Writing outputs into documents: only where it is certain what they show, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from t7shell.doctest.notebook import rewrite
from t7shell.doctest.reader import read_text, write_text
from t7shell.doctest.session import LocalSession
from t7shell.doctest.update import Update, updated
from t7shell.kernel.notebook_file import NotebookError
from tests.documents import run_document


def update(path: Path, text: str) -> Update:
    write_text(path, text)
    return updated(read_text(path), run_document(path, LocalSession).outcomes)


def test_only_wrong_outputs_are_replaced(tmp_path: Path) -> None:
    before = (
        "Text.\r\n```\n> x = torch.ones(2) -- two\n> = x\n\n 3\n 1\n[torch.DoubleTensor of size 2]\n\n"
        "-- and\n> = 2.04\n2.0\n> = 1\n  1\n```\n  ```lua\n  > = 3\n  4\n  ```\n"
        "```\ny = 5\n```\n\n    > = y\n    6\n"
    )
    after = before.replace(
        " 3\n 1\n[torch.DoubleTensor of size 2]", " 1\n 1\n[torch.DoubleTensor of dimension 2]"
    )
    after = after.replace("  4\n", "  3\n").replace("    6\n", "    5\n")
    result = update(tmp_path / "page.md", before)
    assert result.text == after
    assert (len(result.replaced), result.rejected) == (3, [])


def test_ends_of_lines_stay(tmp_path: Path) -> None:
    result = update(tmp_path / "page.md", "```\r\n> print('a\\nb')\r\n1\r\n```\r\n")
    assert result.text == "```\r\n> print('a\\nb')\r\na\r\nb\r\n```\r\n"


@pytest.mark.parametrize(
    ("example", "reason"),
    [
        ("> print('b 1 c')\na ... c", "left out"),
        ("> = torch.rand(1)\nno tensor", "random"),
        ("> = nothing.here\n1", "raises an error"),
        ("> x = 1\n1", "prints nothing"),
        ("> print(1, 2)\n1\n-- a remark\n2", "comment"),
        ("> x.y.z = 1 -- t7: expect-error\nsomething else", ""),
        ("> print(1)\n2", ""),
    ],
)
def test_what_is_uncertain_is_refused(example: str, reason: str, tmp_path: Path) -> None:
    text = f"```\n{example}\n```\n"
    result = update(tmp_path / "page.md", text)
    if reason:
        ((_, given),) = result.rejected
        assert reason in given and result.text == text
    else:
        assert len(result.replaced) == 1 and result.text != text


def test_an_updated_document_passes(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    text = "```\n> = torch.ones(2, 2)\n1\n> error('now') -- t7: expect-error\nthen\n```\n"
    write_text(path, update(path, text).text)
    report = run_document(path, LocalSession)
    assert report.ok and not updated(read_text(path), report.outcomes).replaced


def notebook(output: str, **layout: int) -> str:
    shown = {"output_type": "execute_result", "data": {"text/plain": [output], "text/html": "é"}}
    picture = {"output_type": "display_data", "data": {"image/png": "aaaa"}}
    cell = {"cell_type": "code", "source": ["1 + 1"], "outputs": [picture, shown]}
    return json.dumps({"cells": [cell], "nbformat": 4}, ensure_ascii=False, **layout) + "\n"


def test_cells_of_notebooks_are_updated(tmp_path: Path) -> None:
    result = update(tmp_path / "book.ipynb", notebook("3", indent=1))
    cell = json.loads(result.text)["cells"][0]
    assert cell["outputs"][0]["data"] == {"text/plain": ["2\n"], "text/html": "é"}
    assert cell["outputs"][1]["data"] == {"image/png": "aaaa"}
    assert result.text.endswith("}\n") and '\n "nbformat": 4' in result.text


def test_an_error_becomes_text_and_warnings_stay(tmp_path: Path) -> None:
    warning = {"output_type": "stream", "name": "stderr", "text": ["careful\n"]}
    error = {"output_type": "error", "ename": "", "evalue": "no", "traceback": []}
    cell = {"cell_type": "code", "source": ["print(1)\n", "print(2)"], "outputs": [warning, error]}
    result = update(tmp_path / "book.ipynb", json.dumps({"cells": [cell]}, indent=1))
    printed = {"output_type": "stream", "name": "stdout", "text": ["1\n", "2\n"]}
    assert json.loads(result.text)["cells"][0]["outputs"] == [printed, warning]


def test_a_notebook_of_another_layout_is_not_touched(tmp_path: Path) -> None:
    text = notebook("3", indent=1).replace('"nbformat": 4', '"nbformat":   4')
    with pytest.raises(NotebookError, match="laid out"):
        rewrite(text, {0: "2\n"})
    result = update(tmp_path / "book.ipynb", text)
    assert result.text == text and "laid out" in result.rejected[0][1]
