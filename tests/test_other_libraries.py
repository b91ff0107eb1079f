"""Lua libraries that others wrote, in Lua and in C, unmodified: as the distribution brings them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Run

pytestmark = pytest.mark.slow

# Package of the distribution, and a program that uses it and fails if an answer is wrong.
LIBRARIES = {
    "lua-inspect": "assert(require 'inspect' { 1, { a = 2 } }:find 'a = 2')",
    "lua-argparse": "local p = require 'argparse'() p:option '-n' assert(p:parse({ '-n', '3' }).n == '3')",
    "lua-moses": "assert(require 'moses'.map({ 1, 2 }, function(v) return v * 2 end)[2] == 4)",
    "lua-markdown": "assert(require 'markdown' '# a':find '<h1>')",
    "lua-dkjson": "local j = require 'dkjson' assert(j.decode(j.encode { 1, { x = 3 } })[2].x == 3)",
    "lua-messagepack": "local m = require 'MessagePack' assert(m.unpack(m.pack { 1, 'a' })[2] == 'a')",
    "lua-unit": "local u = require 'luaunit' assert(not pcall(u.assertEquals, 1, 2))",
    "lua-say": "local s = require 'say' s:set('k', 'b %s') assert(s('k', { 'c' }) == 'b c')",
    "lua-basexx": "assert(require 'basexx'.to_base64 'hello' == 'aGVsbG8=')",
    "lua-binaryheap": "local h = require 'binaryheap'.minUnique() h:insert(1, 'a') assert(h:peek() == 'a')",
    "lua-cosmo": "assert(require 'cosmo'.fill('$x', { x = 'b' }) == 'b')",
    "lua-penlight": "assert(require 'pl.List' { 1, 2 }:map(function(v) return v + 1 end)[2] == 3)",
    "lua-lpeg": "local l = require 'lpeg' assert(l.match(l.R '09' ^ 1, '123x') == 4)",
    "lua-cjson": "local j = require 'cjson' assert(j._VERSION ~= '2.1devel' and j.encode { 1 } == '[1]')",
    "lua-filesystem": "assert(require 'lfs'.attributes('/').mode == 'directory')",
    "lua-socket": "local s = assert(require 'socket'.bind('127.0.0.1', 0)) assert(s:getsockname())",
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of all packages; nothing is installed."""
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        pytest.skip("needs the packages of a distribution with apt")
    folder = tmp_path_factory.mktemp("libraries")
    command = ["apt-get", "download", "-q", *LIBRARIES]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"the packages cannot be fetched: {done.stderr.strip().splitlines()[-1:]}")
    for archive in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", str(archive), str(folder)], check=True)
    return folder


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_runs_as_it_is(t7: Run, root: Path, name: str) -> None:
    lua = f"{root}/usr/share/lua/5.1/?.lua;{root}/usr/share/lua/5.1/?/init.lua;;"
    compiled = ";".join(str(folder / "?.so") for folder in root.glob("usr/lib/*/lua/5.1"))
    done = t7("-e", LIBRARIES[name], env={"LUA_PATH": lua, "LUA_CPATH": f"{compiled};;"})
    assert done.returncode == 0, done.stderr
