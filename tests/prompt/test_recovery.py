"""The session outlives what programs do to Lua, and long inputs and messages do not keep it waiting."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from tests.conftest import Run

FAILING = "setmetatable({}, {__call = function() end, __tostring = function() error 'no' end})"


def answers(t7: Run, *inputs: str) -> str:
    """What the prompt prints to these inputs and, last, `20 + 3`."""
    done = t7("-i", stdin="\n".join([*inputs, "20 + 3", ""]))
    assert done.returncode == 0
    shown = done.stdout + done.stderr
    assert "t7> 23" in shown
    return shown


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ([f"t = {FAILING}", "?t"], "t is a table"),
        (["u = newproxy(true) getmetatable(u).__tostring = function() error 'no' end", "?u"], "a userdata"),
        (["t = {}", "?t[1]"], "there is no 't[1]'"),
        (["?torch.torch"], "torch"),
        (["setmetatable(_G, {__newindex = function(_, k) error('no ' .. k, 2) end});", "%dialect th"], "no"),
        (["package.loaded = {} package.preload = nil package.path = nil", "?torch.mm"], ""),
        (["debug.sethook(function() error 'limit' end, '', 100)", "4 + 5", "debug.sethook()"], "t7> 9\n"),
        (["debug.sethook(function() error 'limit' end, '', 1)", "1"], "limit"),
    ],
)
def test_session_goes_on(t7: Run, inputs: list[str], said: str) -> None:
    assert said in answers(t7, *inputs)


def test_debug_hook_is_on_while_programs_run(t7: Run) -> None:
    shown = answers(
        t7,
        "debug.sethook(function() error 'limit' end, '', 5000)",
        "x = torch.zeros(3)",
        # Compiled code sees no hooks.
        "jit.off() for i = 1, 1e6 do x[1] = i end",
    )
    assert "limit" in shown


def test_all_inputs_are_saved(t7: Run, tmp_path: Path) -> None:
    inputs = [f"x{i} = {i}" for i in range(600)]
    answers(t7, *inputs, f"%save {tmp_path}/all.lua")
    assert (tmp_path / "all.lua").read_text().splitlines()[:2] == ["x0 = 0", "x1 = 1"]


def test_a_file_is_read_again_when_it_has_changed(t7: Run, tmp_path: Path) -> None:
    script = tmp_path / "f.lua"
    script.write_text("function f() return 1 end\n")
    shown = answers(
        t7,
        f"%run {script}",
        "??f",
        f"file = io.open('{script}', 'w') file:write('function f() return 1 + 1 end\\n') file:close()",
        f"%run {script}",
        "??f",
    )
    assert "function f() return 1 + 1 end" in shown.splitlines()


@pytest.mark.parametrize(
    "source",
    ["x = {" + "1," * 200000 + "}", "x = '" + "a" * 400000 + "'", "x = [[" + "\n" * 100000 + "]]"],
)
def test_long_inputs_take_little_time(source: str) -> None:
    """By what grows with the square of the length they would take minutes."""
    engine = Engine()
    assert engine.check(source, pasted=True).ok
    assert engine.try_call(engine.helper("shell.complete"), source.encode() + b"..y") is not None


def test_long_messages_take_little_time(t7: Run) -> None:
    assert "xxx" in answers(t7, "error(('x'):rep(400000))")


def test_status_is_truncated(t7: Run) -> None:
    assert t7("-e", "os.exit(3.7)").returncode == 3
    assert t7("-e", "os.exit(-1.5)").returncode == 255
