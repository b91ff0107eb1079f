"""The command `th`: Torch7's options."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from t7shell.cli import th


def run_th(*args: str, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "t7shell.cli.th", *args]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    return subprocess.run(command, input=stdin, capture_output=True, text=True, cwd=cwd, timeout=60, env=env)


def test_code_packages_and_arguments(tmp_path: Path) -> None:
    assert run_th("-lnn", "-e", "print(nn.Tanh())").stdout == "nn.Tanh\n"
    assert run_th("-e", "print(arg[0] ~= nil, #arg)").stdout == "true\t2\t\n"
    (tmp_path / "script.lua").write_text("#!/usr/bin/env th\nprint(torch.dialect(), arg[1], arg[2], #arg)")
    assert run_th("script.lua", "-lr", "0.1", cwd=tmp_path).stdout == "th\t-lr\t0.1\t2\t\n"


def test_the_prompt_without_arguments_and_after_a_script(tmp_path: Path) -> None:
    assert "th> 2" in run_th(stdin="1 + 1\n").stdout
    (tmp_path / "script.lua").write_text("x = 3")
    assert "th> 4" in run_th("-i", "script.lua", stdin="x + 1\n", cwd=tmp_path).stdout
    assert "th> 4" in run_th("-ide", "script.lua", stdin="x + 1\n", cwd=tmp_path).stdout


def test_global_variables_are_watched() -> None:
    warned = run_th("-g", "-e", "local a = 1 x = a x = 2 print(y)")
    assert warned.stdout == "nil\t\n"
    assert warned.stderr.count("created global variable 'x'") == 1
    assert "read of the undefined global variable 'y'" in warned.stderr
    assert "created global variable 'x'" in run_th("-gg", "-e", "x = 1").stderr
    assert run_th("-gg", "-e", "require 'nn' print(nn.Linear(1, 1))").returncode == 0


@pytest.mark.parametrize("arguments", [["-z"], ["-e"], ["-a"], ["-x"]])
def test_wrong_usage(arguments: list[str]) -> None:
    run = run_th(*arguments)
    assert run.returncode == 2 and run.stdout == "" and "usage: th" in run.stderr


def test_options() -> None:
    options = th.parse(["-l", "nn", "-i", "a.lua", "-b"])
    assert (options.actions, options.interactive, options.script) == ([("l", "nn")], True, "a.lua")
    assert options.script_args == ["-b"] and options.dialect == "th" and not options.plain_input


def test_tables_are_printed_as_th_printed_them() -> None:
    # What th printed.
    printed = run_th("-e", """
        local t = setmetatable({x = 1}, {__tostring = function() return 'no' end})
        print{5, 'q"', {}, zeta = {1, {2}}, a = t}
        setprintlevel(2) print{1, {2, {3}}}
        setprintlevel(1) print({1, {2}}, 'x', nil)
    """)
    assert printed.stdout.split("}\n{")[0].replace(" ", "") == (
        '{\n1:5\n2:"q""\n3:{...}\nzeta:\n{\n1:1\n2:\n{\n1:2\n}\n}\na:\n{\nx:1\n}\n'
    )
    assert printed.stdout.endswith(
        "{\n  1 : 1\n  2 : \n    {\n      1 : 2\n      2 : {...}\n    }\n}\n"
        "{\n  1 : 1\n  2 : {...}\n}\nx\tnil\t\n"
    )
