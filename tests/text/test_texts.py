"""md5, mime, sundown and iterm against Python's library."""

from __future__ import annotations

import base64
import hashlib
import quopri
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell import LuaError, Runtime

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def lua() -> Runtime:
    runtime = Runtime()
    runtime.execute("md5, mime = require 'md5', require 'mime' all = '' "
                    "for i = 0, 255 do all = all .. string.char(i) end")  # fmt: skip
    return runtime


def test_digests(lua: Runtime) -> None:
    assert lua.eval("md5.sumhexa('')") == "d41d8cd98f00b204e9800998ecf8427e"
    assert lua.eval("md5.sumhexa(all)") == hashlib.md5(bytes(range(256))).hexdigest()
    assert lua.eval("#md5.sum(all)") == 16 and lua.eval("md5.exor('ab', 'AB')") == "  "
    with pytest.raises(LuaError, match="strings must be of one length"):
        lua.execute("md5.exor('a', 'ab')")
    with pytest.raises(LuaError, match=r"md5\.sum: text must be a string"):
        lua.execute("md5.sum(nil)")


def test_encodings(lua: Runtime) -> None:
    every = bytes(range(256))
    assert lua.eval("(mime.b64(all))") == base64.b64encode(every).decode()
    assert lua.eval("mime.unb64(mime.b64(all)) == all") and lua.eval("(mime.unb64('YW Jj\\nZA'))") == "abcd"
    assert lua.eval("(mime.b64('ab', 'c'))") == "YWJj"
    assert lua.eval("(mime.qp('a=b\\233'))") == quopri.encodestring(b"a=b\xe9").decode()
    assert lua.eval("(mime.unqp('a=3Db'))") == "a=b"
    assert lua.eval("(mime.eol(0, 'a\\nb\\r\\nc'))") == "a\r\nb\r\nc"


def test_markdown(lua: Runtime) -> None:
    pytest.importorskip("markdown")
    assert lua.eval("require('sundown').render('# A *b*')") == "<h1>A <em>b</em></h1>"


def test_markdown_without_its_library(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "markdown.py").write_text("raise ImportError('none')")
    run = t7("-e", "require('sundown').render('a')", env={"PYTHONPATH": str(tmp_path)})
    assert "Markdown is missing: python3 -m pip install markdown" in run.stderr


def test_pictures_in_a_terminal(t7: Run) -> None:
    run = t7("--show", "file", "-e", "iterm = require 'iterm' iterm.image(torch.rand(3, 4, 5), 2)")
    assert run.returncode == 0 and run.stderr.strip().endswith(".png")
    assert t7("-e", "assert(require 'iterm.dot' == require('iterm').dot)").returncode == 0
    assert "iterm.image: argument 1 must be a tensor" in t7("-e", "require('iterm').image(3)").stderr


def test_graphs_without_graphviz(t7: Run, tmp_path: Path) -> None:
    source = f"""require 'nngraph' n = nn.Identity()() m = nn.gModule({{n}}, {{n}})
    print(require('iterm').dot(m, 'title', '{tmp_path}/a.png'))"""
    run = t7("-e", source, env={"PATH": str(tmp_path)})
    assert run.stdout == f"{tmp_path}/a.dot\n" and "no program 'dot'" in run.stderr and run.returncode == 0
    assert (tmp_path / "a.dot").read_text().startswith("digraph")
    source = source.replace("'title', ", "").replace("a.png", "b.pdf")
    assert t7("-e", source, env={"PATH": str(tmp_path)}).stdout == f"{tmp_path}/b.dot\n"
