"""`%load_ext t7shell` in notebooks of Python, which nbclient runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from t7shell.magics import USAGE

nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
nbformat = pytest.importorskip("nbformat", reason="needs the extra notebook")
pytest.importorskip("ipykernel", reason="needs the extra notebook")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]


def run(*cells: str) -> list[list[Any]]:
    """The outputs of each cell of a notebook of Python, which begins with two that have none."""
    start = ["%load_ext t7shell", "import numpy as np; from t7shell import Runtime; lua = Runtime()"]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in (*start, *cells)])
    os.environ["PYTHONPATH"] = str(ROOT)
    nbclient.NotebookClient(made, kernel_name="python3", allow_errors=True, timeout=120).execute()
    outputs = [cell.outputs for cell in made.cells]
    assert outputs[:2] == [[], []]
    return outputs[2:]


def text(output: Any) -> str:
    """What an output shows as text."""
    if output.output_type == "stream":
        return str(output.text)
    return "\n".join(output.traceback) if output.output_type == "error" else str(output.data["text/plain"])


def kinds(outputs: list[Any]) -> list[tuple[str, ...]]:
    return [(each.output_type, *sorted(each.get("data", {}))) for each in outputs]


def test_variables_go_in_and_out_and_values_are_shown() -> None:
    shown, names, line, nothing, silent = run(
        "a = np.array([[1.0, 2.0]])",
        "%%lua -i a, __name__ -o b, n\nb, n = a * 2, 3\nprint('made')\na:fill(7)\nb",
        "a.tolist(), b.tolist(), n",
        "x = %lua torch.ones(2)\nx + 1",
        "%lua nil",
        "%%lua\nx = 3;",
    )[1:]
    assert kinds(shown) == [("stream",), ("display_data", "text/html", "text/plain")]
    assert text(shown[0]) == "made\n" and text(shown[1]).splitlines()[0].split() == ["2", "4"]
    assert "<table>" in shown[1].data["text/html"]
    assert text(names[0]) == "([[7.0, 7.0]], [[2.0, 4.0]], 3)"
    assert text(line[0]) == "array([2., 2.])" and nothing == silent == []


def test_pictures_appear_below_their_cells() -> None:
    outputs = run(
        "%%lua\nrequire 'image'; image.display(torch.rand(5, 6));",
        "%%lua\nrequire 'gnuplot' gnuplot.plot(torch.range(1, 5))",
        "lua.execute(\"require 'gnuplot' gnuplot.plot(torch.range(1, 3)) print(7)\")",
        "%%lua -r lua\nfunction draw() gnuplot.plot(torch.range(1, 4)) end",
        "lua.globals['draw']()",
    )
    picture = ("display_data", "image/png", "text/plain")
    assert list(map(kinds, outputs)) == [[picture], [picture], [("stream",), picture], [], [picture]]


ERRORS = {
    "%%lua\n\nlocal t = torch.ones(2)\nt:add(torch.ones(3))": [
        "LuaError: lua:3: add: inconsistent tensor sizes: [2] of 2 elements and [3] of 3",
        "     3 | t:add(torch.ones(3))",
        "       |   ^^^",
    ],
    "%%lua\nx = = 3": ["LuaError: lua:1: unexpected symbol near '='", "     1 | x = = 3", "       |     ^"],
    "%lua y()": ["LuaError: lua:1: attempt to call global 'y' (a nil value)", "     1 | y()", "       | ^"],
    "%%lua -i zzz\nx": ["UsageError: -i zzz: there is no variable with this name in Python"],
    "%%lua -o zzz\nx = 1": ["UsageError: -o zzz: there is no variable with this name in Lua"],
    "%%lua -q\nx": [f"UsageError: -q: unknown option; {USAGE}"],
    "%%lua\nfunction f() error('no') end\nfunction g() f() end\ng()": [
        "LuaError: lua:1: no",
        "     1 | function f() error('no') end",
        "       | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "stack traceback:",
        *("\tlua:1: in function 'f'", "\tlua:2: in function 'g'", "\tlua:3: in main chunk"),
    ],
    "%%lua -r np\nx = 1": ["UsageError: -r np: expected a Runtime (got module)"],
}


def test_errors_are_those_of_the_cell() -> None:
    outputs = run(*ERRORS, "%%lua -r lua\nerror({code = 3})", "lua.eval('torch.oens(2)')")
    for expected, (output,) in zip(ERRORS.values(), outputs, strict=False):
        assert text(output).splitlines() == expected
    assert outputs[-2][0].ename == "LuaError"
    assert text(outputs[-1][0]).endswith("hint: did you mean 'ones'?")
