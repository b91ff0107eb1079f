"""The line of progress: on a terminal, a second after work began, and gone before anything else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from t7shell import Runtime

from ...terminal import Terminal

SAVE, RESTORE, DIM, PLAIN = "\x1b7", "\x1b8\x1b[K", "\x1b[?7l\x1b[2m", "\x1b[m\x1b[?7h"

# Loads a file again and again, at last 20 times when progress is due, and leaves the core to other tests.
LOADS = """
torch.save(arg[1], {1, 2})
io.write('begin ') io.flush()
local timer, count, due = torch.Timer(), 0, 0
while due < 20 do
   torch.load(arg[1]) count = count + 1
   if timer:time().real > 1.2 then due = due + 1 end
   sys.sleep(0.004)
end
"""


def on_terminal(tmp_path: Path, source: str, **env: str) -> tuple[str, int]:
    """All that a script writes to a terminal, and its exit status."""
    script = tmp_path / "script.lua"
    script.write_text(source)
    command = [sys.executable, "-m", "t7shell", str(script), str(tmp_path / "some file.t7")]
    terminal = Terminal(command, {"TERM": "xterm", **env})
    try:
        status = terminal.status(60)
        return terminal.raw, status
    finally:
        terminal.close()


def drawn(raw: str) -> tuple[str, list[str]]:
    """What is left when all lines of progress are gone, and what they said."""
    lines: list[str] = []

    def gone(match: re.Match[str]) -> str:
        lines.append(match[1])
        return ""

    line = re.escape(DIM) + r"([^\x1b]*)" + re.escape(PLAIN + RESTORE)
    # Each line but the first stands where the one before was.
    return re.sub(line, gone, raw.replace(SAVE, "")), lines


@pytest.mark.parametrize(
    ("end", "left", "status"),
    [
        ("print('end')", "begin end\r\n", 0),
        pytest.param("io.stdout:write('end')", "begin end", 0, marks=pytest.mark.slow),
        pytest.param("io.stderr:write('end')", "begin end", 0, marks=pytest.mark.slow),
        pytest.param("os.execute('echo end')", "begin end\r\n", 0, marks=pytest.mark.slow),
        pytest.param("os.exit(3)", "begin ", 3, marks=pytest.mark.slow),
        ("error('wrong')", "begin t7: ", 1),
    ],
)
def test_on_a_terminal(tmp_path: Path, end: str, left: str, status: int) -> None:
    raw, found = on_terminal(tmp_path, LOADS + end)
    plain, lines = drawn(raw)
    assert found == status
    assert plain == left if status != 1 else plain.startswith(left)
    assert lines and all(re.fullmatch(r"loading: \d+ in [1-9] s, some file.t7", line) for line in lines)


@pytest.mark.slow
def test_not_while_a_program_prints(tmp_path: Path) -> None:
    """What shows its own progress is left alone."""
    raw, _ = on_terminal(tmp_path, LOADS.replace("count = count + 1", "io.write('.')"))
    assert SAVE not in raw


@pytest.mark.slow
def test_not_on_dumb_terminals(tmp_path: Path) -> None:
    assert on_terminal(tmp_path, LOADS, TERM="dumb")[0] == "begin "


def test_not_in_a_pipe(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text(LOADS + "print(count > 10)")
    command = [sys.executable, "-m", "t7shell", str(script), str(tmp_path / "x.t7")]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    assert (ran.stdout, ran.stderr) == ("begin true\n", "")


@pytest.mark.slow
def test_not_where_a_pager_shows_the_output(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text(LOADS)
    command = f"'{sys.executable}' -m t7shell '{script}' '{tmp_path}/x.t7' | cat"
    terminal = Terminal(["sh", "-c", command], {"TERM": "xterm"})
    try:
        assert terminal.status(60) == 0
        assert terminal.raw == "begin "
    finally:
        terminal.close()


def test_how_far_a_file_is() -> None:
    """What is drawn, and when."""
    runtime = Runtime()
    shown: list[str] = []
    runtime.globals()["draw"] = shown.append
    runtime.execute("""
        progress = require 'torch.base.progress'
        progress.draw = function(text) draw(text) end
        progress.step('loading', '/a/b.t7')
        progress.step('loading', '/a/b.t7', 0.1)
        sys.sleep(1.05)
        progress.step('loading', '/a/b.t7', 0.345)
        progress.step('loading', '/a/b.t7', 0.4)
        sys.sleep(0.15)
        progress.step('loading', '/a/b.t7', 0.5)
        progress.step('saving', 'c')
    """)
    assert shown == ["loading b.t7 (34%)", "loading b.t7 (50%)", ""]


@pytest.mark.parametrize(
    ("command", "captured", "found"),
    [
        ("wget http://a.b/c/d.zip", False, None),
        ("wget http://a.b/c/d.zip", True, ("http://a.b/c/d.zip", "d.zip")),
        ("wget -q http://a.b/c/d.zip", False, ("http://a.b/c/d.zip", "d.zip")),
        ("wget -qO 'x.zip' 'http://a.b/c'", False, ("http://a.b/c", "x.zip")),
        ("wget -q 'http://a.b/c?d=1&e;f'", False, ("http://a.b/c?d=1", "c?d=1")),
        ("wget http://a.b/c -o log", False, ("http://a.b/c", "c")),
        ("wget http://a.b/c > log 2>&1", False, ("http://a.b/c", "c")),
        ("curl -sLo x.t7 http://a.b/c", False, ("http://a.b/c", "x.t7")),
        ("curl --silent -O http://a.b/c", False, ("http://a.b/c", "c")),
        ("curl -s http://a.b/c > y", False, ("http://a.b/c", "c")),
        ("cd data && curl http://a.b/c | tar x", True, ("http://a.b/c", "c")),
        # These write to the terminal.
        ("wget -q --show-progress http://a.b/c", False, None),
        ("wget -qO- http://a.b/c", False, None),
        ("wget -qO - http://a.b/c", False, None),
        ("wget -q http://a.b/c && echo got", False, None),
        ("wget -nv http://a.b/c", False, None),
        ("curl http://a.b/c > x.t7", False, None),
        ("curl -s http://a.b/c", False, None),
        ("curl -s http://a.b/c | cat", False, None),
        ("curl -sSLo x http://a.b/c", False, None),
        # These do not download.
        ("echo http://a.b/c", True, None),
        ("mywget -q http://a.b/c", True, None),
        ("wget --version", True, None),
    ],
)
def test_silent_downloads(command: str, captured: bool, found: tuple[str, str] | None) -> None:
    runtime = Runtime()
    runtime.globals()["command"] = command
    call = f"require('torch.utility.downloads').silent(command, {str(captured).lower()})"
    url, file = runtime.execute(f"local url, file = {call} return url or 'none', file or 'none'")
    assert (url, file) == (found or ("none", "none"))


@pytest.mark.slow
def test_downloads_on_a_terminal(tmp_path: Path) -> None:
    """A command that waits in the place of one that downloads."""
    target = tmp_path / "data.bin"
    program = tmp_path / "curl"
    program.write_text(f"#!/bin/sh\nhead -c 3000000 /dev/zero > '{target}'\nsleep 1.4\necho got\n")
    program.chmod(0o755)
    source = f"""
        print(sys.execute("'{program}' http://a.b/c -o '{target}'"))
        print(os.execute("{program} -s http://a.b/d > /dev/null"))
    """
    plain, lines = drawn(on_terminal(tmp_path, source)[0])
    assert plain == "got\r\ntrue\texit\t0\r\n"
    assert re.fullmatch("downloading http://a.b/c: 3.0 MB, [1-9] s", lines[0])
    assert re.fullmatch("downloading http://a.b/d: [1-9] s", lines[-1])


def test_ctrl_c_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    script = tmp_path / "script.lua"
    script.write_text(LOADS.replace("1.2", "30"))
    terminal = Terminal(
        [sys.executable, "-m", "t7shell", str(script), str(tmp_path / "x.t7")], {"TERM": "xterm"}
    )
    try:
        terminal.expect("loading: ")
        terminal.type("\x03")
        assert terminal.status() == 130
        assert terminal.raw.rindex(PLAIN) > terminal.raw.rindex(DIM)
    finally:
        terminal.close()
