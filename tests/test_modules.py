"""`require` outside the library: files of programs, installed trees, C modules; and its messages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from t7shell.engine import lua_paths
from tests.conftest import Run

INSTALLED = {"LUA_PATH": ";;", "LUA_CPATH": ";;"}


def test_a_folder_with_init_is_a_module(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "init.lua").write_text("return 'whole'")
    assert t7("-e", "print(require 'parts')", cwd=tmp_path, env=INSTALLED).stdout == "whole\n"


# Files of the original packages, with what they returned: most nothing, and sys/fpath.lua the function.
PARTS = ["xlua.OptionParser", "nn.Module", "nn.utils", "torch.Tester", "graph.Node", "sys.fpath"]


def test_parts_of_packages_are_modules(t7: Run, tmp_path: Path) -> None:
    names = ", ".join(f"'{name}'" for name in PARTS)
    (tmp_path / "main.lua").write_text(f"""
        for _, name in ipairs {{ {names} }} do assert(require(name)) end
        print(require('nn.Module'), select(2, require 'sys.fpath'()))
        print((pcall(require, 'nn.Liner')), (pcall(require, 'nothing.Module')))""")
    assert t7("main.lua", cwd=tmp_path, env=INSTALLED).stdout == "true\tmain.lua\nfalse\tfalse\n"
    (tmp_path / "part.lua").write_text("require 'sys.fpath' require 'nn.Liner'")
    checked = t7("check", "part.lua", cwd=tmp_path, env=INSTALLED).stdout
    assert "'nn.Liner' is not available" in checked
    assert "fpath" not in checked


def test_modules_beside_a_script_come_before_installed_ones(t7: Run, tmp_path: Path) -> None:
    tree = tmp_path / ".luarocks" / "share" / "lua" / "5.1"
    tree.mkdir(parents=True)
    (tree / "util.lua").write_text("return 'installed'")
    (tree / "rock.lua").write_text("return 'a rock'")
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    (scripts / "util.lua").write_text("return 'beside'")
    (scripts / "main.lua").write_text("print(require 'util', require 'rock')")
    environment = {**INSTALLED, "HOME": str(tmp_path)}
    assert t7(str(scripts / "main.lua"), cwd="/", env=environment).stdout == "beside\ta rock\n"


def test_a_given_path_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUA_PATH", "/mine/?.lua")
    assert lua_paths.with_trees("/mine/?.lua", "LUA_PATH", lua_paths.lua_entries) == "/mine/?.lua"
    monkeypatch.setenv("LUA_PATH", "/mine/?.lua;;")
    path = lua_paths.with_trees("/mine/?.lua;./?.lua", "LUA_PATH", lambda: ["/tree/?.lua", "./?.lua"])
    assert path == "/mine/?.lua;./?.lua;./?/init.lua;/tree/?.lua"
    monkeypatch.delenv("LUA_PATH")
    assert lua_paths.with_trees("./?.lua", "LUA_PATH", list) == "./?.lua;./?/init.lua"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("xlau", "did you mean 'xlua'?"),
        ("qtuiloader", "Qt widgets, which are not available"),
        ("mattorch", "use `require 'matio'`"),
        ("livecam", "`require 'camera'` reads this machine's"),
        ("argcheck", "it is plain Lua"),
        ("dataload", "it is plain Lua"),
        ("lpeg", "`t7 rocks install lpeg` installs it, `apt install lua-lpeg`"),
        ("some.part", "would be some/part.lua in the current folder or beside the script"),
        ("moses", "; `t7 rocks install moses` installs it if LuaRocks has it"),
        ("classic", "package.path is enough; the rock classic of LuaRocks is another package"),
        ("nosuchmodule", "`t7 rocks install nosuchmodule` installs it if it is a rock"),
    ],
)
def test_what_is_missing_is_explained(t7: Run, name: str, hint: str) -> None:
    done = t7("-e", f"require '{name}'")
    lines = done.stderr.splitlines()
    assert f"module '{name}' not found:" in lines[0]
    assert lines[1] == "\tno file in package.path or package.cpath"
    assert hint in lines[2]
    assert "require" not in t7("-e", f"print((pcall(require, '{name}')))").stdout


def test_a_module_with_a_mistake_is_not_missing(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "wrong.lua").write_text("x = = 1")
    assert "error loading module 'wrong' from file './wrong.lua'" in t7(
        "-e", "require 'wrong'", cwd=tmp_path
    ).stderr


@pytest.mark.parametrize(
    ("module", "source", "printed"),
    [
        ("cjson", "cjson = require 'cjson' print(cjson.encode{1, {a = true}}, cjson.decode('[4]')[1])",
         '[1,{"a":true}]\t4\n'),
        ("lpeg", "lpeg = require 'lpeg' print(lpeg.match(lpeg.R('az') ^ 1, 'ab1'))", "3\n"),
        ("socket.core", "socket = require 'socket' print(socket.gettime() > 1e9)", "true\n"),
        ("luasql.sqlite3", "sql = require('luasql.sqlite3').sqlite3() local c = sql:connect(':memory:') "
         "print(c:execute('select 6 * 7'):fetch())", "42\n"),
        ("cjson", "file = package.searchpath('cjson', package.cpath) "
         "print(type(package.loadlib(file, 'luaopen_cjson')))", "function\n"),
    ],
)
def test_c_modules(t7: Run, module: str, source: str, printed: str) -> None:
    places = ";".join(lua_paths.c_entries())
    found = t7("-e", f"print(package.searchpath('{module}', '{places}') ~= nil)").stdout
    if found != "true\n":
        pytest.skip(f"the C module {module} is not installed")
    done = t7("-e", source, env=INSTALLED)
    assert (done.stdout, done.stderr) == (printed, "")


def test_another_lua_of_the_process_is_left_alone() -> None:
    """The functions of LuaJIT are shared with the process only when a program loads a C module."""
    pytest.importorskip("lupa.lua54")
    source = """
import t7shell
t7shell.Runtime()
import lupa.lua54
print(lupa.lua54.LuaRuntime().eval('3 // 2'))
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env=os.environ)
    assert (done.stdout, done.returncode) == ("1\n", 0)


@pytest.mark.parametrize("how", ["LUA_PATH", "package.path", "current folder", "tree of LuaRocks"])
def test_packages_of_others_come_before_ours(t7: Run, tmp_path: Path, how: str) -> None:
    folder = tmp_path / (".luarocks/share/lua/5.1" if how == "tree of LuaRocks" else "mine")
    length = "#setmetatable({}, { __len = function() return 5 end })"
    core = ("nn", "torch", "xlua", "optim", "image", "nngraph", "paths", "sys")
    for name in ("dpnn", "csvigo", "tds", "env", *core):
        (folder / name).mkdir(parents=True)
        (folder / name / "init.lua").write_text(f"return {{ length = {length} }}")
    environment, setup = {"HOME": str(tmp_path), "LUA_PATH": ";;"}, ""
    if how == "LUA_PATH":
        environment["LUA_PATH"] = f"{folder}/?.lua;{folder}/?/init.lua;;"
    elif how == "package.path":
        setup = f"package.path = package.path .. ';{folder}/?/init.lua' "
    ask = "for _, name in ipairs {{ {} }} do io.write(tostring(require(name).length), ' ') end"
    others = setup + ask.format("'dpnn', 'csvigo', 'tds', 'env'")
    ours = " " + ask.format("'nn', 'torch', 'xlua', 'optim', 'image', 'nngraph', 'paths', 'sys'")
    run = t7("-e", others + ours, cwd=folder if how == "current folder" else tmp_path, env=environment)
    assert run.stderr == ""
    assert run.stdout == "5 " * 4 + "nil " * 8


def test_the_shell_starts_in_any_folder(t7: Run, tmp_path: Path) -> None:
    for name in ("pl", "pl/modules", "sys", "torch", "xlua", "shell/evaluate", "shell/modules"):
        (tmp_path / name).mkdir(parents=True)
        for file in (f"{name}.lua", f"{name}/init.lua"):
            (tmp_path / file).write_text("error('of the program')")
        (tmp_path / f"{name}.so").write_text("of the program")
    source = "print(pl.path.basename('a/b'), stringx.strip(' c '), torch.ones(2):sum(), pcall(require, 'pl'))"
    done = t7("-e", source, cwd=tmp_path, env=INSTALLED)
    assert done.stderr == ""
    assert done.stdout == "b\tc\t2\tfalse\t./pl.lua:1: of the program\n"


def test_rocks_are_installed_where_require_finds_them(t7: Run, tmp_path: Path) -> None:
    # A stub for LuaRocks, which writes a module into the given tree.
    program = tmp_path / "bin" / "luarocks"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\necho "$@"\nfor word; do case "$word" in --tree=*) tree="${word#--tree=}";; esac; done\n'
        'mkdir -p "$tree/share/lua/5.1" && echo "return 42" > "$tree/share/lua/5.1/$4.lua"\n'
    )
    program.chmod(0o755)
    environment = {**INSTALLED, "HOME": str(tmp_path), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    done = t7("rocks", "install", "answer", env=environment)
    assert done.stdout == f"--lua-version=5.1 --tree={tmp_path}/.luarocks install answer\n"
    assert t7("-e", "print(require 'answer')", env=environment).stdout == "42\n"
    chosen = t7("rocks", "--tree=elsewhere", "list", cwd=tmp_path, env=environment)
    assert chosen.stdout == "--lua-version=5.1 --tree=elsewhere list\n"
    program.write_text("#!/bin/sh\nexit 3\n")
    assert t7("rocks", "list", env=environment).returncode == 3


def test_rocks_without_luarocks(t7: Run, tmp_path: Path) -> None:
    done = t7("rocks", "install", "answer", env={"PATH": str(tmp_path)})
    assert done.returncode == 1 and "LuaRocks is not installed: `apt install luarocks`" in done.stderr
    assert t7("rocks").returncode == 2 and "usage: t7 rocks install NAME" in t7("rocks", "--help").stderr


@pytest.mark.parametrize("how", ["LUA_PATH", "program folder", "current folder", "tree of LuaRocks"])
def test_files_of_a_package_are_found_where_it_is(t7: Run, tmp_path: Path, how: str) -> None:
    places = {"tree of LuaRocks": ".luarocks/share/lua/5.1", "program folder": "program"}
    folder = tmp_path / places.get(how, "mine")
    (folder / "rnn").mkdir(parents=True)
    (folder / "rnn" / "init.lua").write_text("local rnn = {} torch.include('rnn', 'part.lua') return rnn")
    (folder / "rnn" / "part.lua").write_text("part = torch.packageLuaPath('rnn')")
    script = tmp_path / "program" / "main.lua"
    script.parent.mkdir(exist_ok=True)
    script.write_text(
        "require 'rnn' torch.include('rnn', 'part.lua') print(part, torch.packageLuaPath('nn'))"
    )
    environment = {"HOME": str(tmp_path), "LUA_PATH": ";;"}
    if how == "LUA_PATH":
        environment["LUA_PATH"] = f"{folder}/?.lua;{folder}/?/init.lua;;"
    where = folder if how == "current folder" else tmp_path
    found, ours = t7(str(script), cwd=where, env=environment).stdout.split()
    assert (where / found).resolve() == folder / "rnn"
    assert ours.endswith("lua/nn")
    checked = t7("check", str(script), cwd=where, env=environment).stdout
    assert "2 files read, nothing is missing" in checked, checked


def test_files_of_our_own_packages_are_found_without_others(t7: Run) -> None:
    done = t7("-e", "p = torch.packageLuaPath print(p 'rnn', p(), p 'none')")
    rnn, lua = done.stdout.split()
    assert rnn == f"{lua}/packages/rnn" and lua.endswith("/lua")
