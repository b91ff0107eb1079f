"""sys: time, commands, splitting, colours."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]


def test_clock_is_the_time_of_day(lua: Lua) -> None:
    before = time.time()
    value = float(lua("io.write(string.format('%.6f', sys.clock()))"))
    assert before - 0.001 <= value <= time.time() + 0.001


def test_tic_and_toc(lua: Lua) -> None:
    output = lua("sys.tic() sys.sleep(0.05) local t = sys.toc(true) io.write(t)")
    printed, returned = output.split("\n")
    assert printed == returned and 0.05 <= float(returned) < 1


def test_seconds_are_checked(lua: Lua) -> None:
    output = lua("print(select(2, pcall(sys.sleep)), select(2, pcall(sys.usleep, 'soon')))")
    assert "sys.sleep: argument 1 must be a number (got nil)" in output
    assert "sys.usleep: argument 1 must be a number (got 'soon')" in output


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_commands(lua: Lua) -> None:
    assert lua("io.write(sys.execute('echo; echo \"  a b\"; echo; true'))") == "a b"
    assert lua("io.write(sys.execute('echo quiet >&2') or 'nil')") == ""
    assert lua("io.write(sys.fexecute('echo first; echo second >&2'))") == "first\nsecond"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_ls_of_a_name_with_a_quote(lua: Lua, tmp_path: Path) -> None:
    folder = tmp_path / "it's; echo no"
    folder.mkdir()
    (folder / "file").write_text("")
    (folder / ".hidden").write_text("")
    assert lua(f"io.write(sys.ls([[{folder}]]))") == "file"
    assert lua(f"io.write(sys.la([[{folder}]]))").split("\n") == [".", "..", ".hidden", "file"]


def test_split(lua: Lua) -> None:
    show = "print(table.concat(sys.split(%s), '|'))"
    assert lua(show % "'a, b,c', ', *'") == "a|b|c\n"
    assert lua(show % "'abc', 'x*'") == "abc\n"
    assert lua(show % "'/a//b/', '/'") == "a||b\n"


def test_fpath(lua: Lua, tmp_path: Path) -> None:
    script = tmp_path / "f.lua"
    script.write_text("local d, f = sys.fpath() return d, f")
    assert lua(f"print(dofile('{script}'))") == f"{tmp_path}\tf.lua\n"


def test_names_of_older_versions(lua: Lua) -> None:
    assert lua("print(sys.basename('/a/b.c'), sys.filep('/'), sys.dirp('/'))") == "b.c\tfalse\ttrue\n"
    assert lua("print(sys.COLORS.red .. 'x' .. sys.COLORS.none)") == "\x1b[0;31mx\x1b[0m\n"


def test_wrong_command_is_named(lua: Lua) -> None:
    output = lua("print(select(2, pcall(function() return (sys.execute(nil)) end)))")
    assert output == "test:1: sys.execute: command must be a string (got nil)\n"


def test_prefix_is_a_folder(lua: Lua) -> None:
    assert os.path.isdir(lua("io.write(sys.prefix)"))
