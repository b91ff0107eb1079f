"""paths beyond the recorded cases: links, failures, files beside the running one."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]


def test_rmall_leaves_what_a_link_leads_to(lua: Lua, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "kept.txt").write_text("kept")
    folder = tmp_path / "folder"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "link").symlink_to(target)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    assert lua(f"print(paths.rmall('{folder}', 'yes'))") == "true\n"
    assert not folder.exists() and (target / "kept.txt").read_text() == "kept"
    (tmp_path / "link").symlink_to(target)
    assert lua(f"print(paths.rmall('{tmp_path}/link', 'yes'))") == "true\n"
    assert target.exists() and not (tmp_path / "link").exists()


def test_the_folder_of_slashes_is_these(lua: Lua) -> None:
    """As in the original."""
    assert lua("print(paths.dirname('/'), paths.dirname('//'), paths.dirname('///a'))") == "/\t//\t//\n"


def test_mkdir_says_why_it_failed(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    output = lua(f"print(paths.mkdir('{tmp_path}/file/below'))")
    assert output.split("\t")[0] == "nil" and "file" in output.split("\t")[1]
    output = lua(f"print(paths.mkdir('{tmp_path}'))")
    assert output == f"nil\t{tmp_path}: File exists\t17\n"


def test_mkdir_with_a_trailing_slash(lua: Lua, tmp_path: Path) -> None:
    assert lua(f"print(paths.mkdir('{tmp_path}/a/b/'))") == "true\n"
    assert (tmp_path / "a" / "b").is_dir()


def test_listing_is_sorted_and_filtered(lua: Lua, tmp_path: Path) -> None:
    for name in ("b.lua", "a.lua", "c.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "d.lua").mkdir()
    show = "do local t = {} for f in paths.%s('%s'%s) do t[#t + 1] = f end print(table.concat(t, ' ')) end"
    assert lua(show % ("files", tmp_path, ", 'lua$'")) == "a.lua b.lua d.lua\n"
    assert lua(show % ("iterfiles", tmp_path, ", 'lua$'")) == "a.lua b.lua\n"
    assert lua(show % ("iterdirs", tmp_path, "")) == "d.lua\n"


def test_long_and_odd_names(lua: Lua, tmp_path: Path) -> None:
    names = sorted(["é" * 100, "with space", "quote'", "-dash"])
    for name in names:
        (tmp_path / name).write_text("")
    output = lua(f"for _, f in ipairs(paths.dir('{tmp_path}')) do print(f) end")
    assert sorted(output.split("\n")[:-1]) == sorted([".", "..", *names])


def test_files_beside_the_running_one(lua: Lua, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "main.lua").write_text("local a, b, c = paths.dofile('sub/one.lua') return a, b, c")
    (tmp_path / "sub" / "one.lua").write_text(
        "local a = paths.dofile('two.lua') return a, paths.thisfile(), (paths.require 'three')"
    )
    (tmp_path / "sub" / "two.lua").write_text("return 'two'")
    (tmp_path / "sub" / "three.lua").write_text("return (...)")
    output = lua(f"print(dofile('{tmp_path}/main.lua')) package.loaded.three = nil")
    assert output == f"two\t{tmp_path}/sub/one.lua\tthree\n"


def test_relative_chunk_names_become_absolute(
    lua: Lua, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here.lua").write_text("local f = paths.thisfile() return f")
    assert lua("print(dofile('here.lua'))") == f"{os.getcwd()}/here.lua\n"


@pytest.mark.parametrize(
    "call",
    [
        "basename({})",
        "dirname()",
        "filep()",
        "mkdir(nil)",
        "dir(3)",
        "concat('a', {})",
        "findprogram(nil)",
        "require()",
    ],
)
def test_wrong_arguments_are_named(lua: Lua, call: str) -> None:
    output = lua(f"print(select(2, pcall(function() return (paths.{call}) end)))")
    assert output.startswith(f"test:1: paths.{call.split('(')[0]}: argument ") and " must be " in output


def test_dofile_of_a_missing_file_blames_the_caller(lua: Lua) -> None:
    output = lua("print(select(2, pcall(function() local x = paths.dofile('none.lua') return x end)))")
    assert output.startswith("test:1: cannot open ") and "none.lua" in output


def test_errors_have_the_line_of_the_program(lua: Lua, tmp_path: Path) -> None:
    """In pcall as well, where the function is called by C."""
    script = tmp_path / "script.lua"
    script.write_text(
        "for _, f in ipairs{paths.dofile, paths.concat, paths.mkdir, paths.dir} do\n"
        "   print((select(2, pcall(f, {})):match('script.lua:(%d+): paths')))\nend\n"
    )
    assert lua(f"dofile('{script}')") == "2\n" * 4
