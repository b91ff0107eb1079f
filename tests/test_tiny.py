"""The thinnest path through everything, in under two seconds: if this fails, look at nothing else first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

Lua = Callable[[str], str]


def test_the_installed_command_prints_a_tensor() -> None:
    command = [sys.executable, "-m", "t7shell", "-e", "x = torch.ones(2, 3):mul(2); print(x + 1)"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.stderr == ""
    assert run.stdout == " 3  3  3\n 3  3  3\n[torch.DoubleTensor of dimension 2x3]\n\n"
    assert run.returncode == 0


def test_the_command_reports_an_error() -> None:
    command = [sys.executable, "-m", "t7shell", "-e", "torch.ones(2):add(torch.ones(3))"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode != 0
    assert "add: inconsistent tensor sizes: [2] of 2 elements and [3] of 3" in run.stderr + run.stdout


def test_a_view_writes_through(lua: Lua) -> None:
    assert (
        lua("local x = torch.zeros(2, 2) x[2]:fill(7) x[1][2] = 5 print(x[1][2], x[2][1], x:sum())")
        == "5\t7\t19\n"
    )


def test_numpy_answers(lua: Lua) -> None:
    assert lua("print(torch.dot(torch.range(1, 3), torch.range(4, 6)))") == "32\n"


def test_nothing_heavy_is_imported_to_start() -> None:
    source = (
        "import sys, t7shell.engine.engine as e; e.Engine();"
        " print('numpy' in sys.modules, 'scipy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert run.stdout == "False False\n", run.stderr
