"""Packaging: metadata, archives, and a lupa that was built from source."""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import t7shell
from t7shell import LuaUnavailable
from t7shell.engine import luajit

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif((ROOT / "pyproject.toml").exists(), reason="this is the checkout, not the archive")
def test_the_archive_has_the_library_the_manual_and_the_license() -> None:
    """In the environment that .ci/run installs the wheel into."""
    names = [str(path) for path in importlib.metadata.files("t7shell") or ()]
    sources = {"t7shell/lua/torch/init.lua", "t7shell/lua/packages/xlua/init.lua"}
    assert sources | {"t7shell/docs/index.md", "t7shell/py.typed"} <= set(names)
    assert any(name.endswith("/licenses/LICENSE") for name in names)
    assert not Path(t7shell.__file__).is_relative_to(ROOT)


@pytest.mark.parametrize(
    ("platform", "words"), [("linux", "--upgrade lupa"), ("darwin", "brew install luajit")]
)
def test_a_lupa_without_luajit_says_what_to_type(
    monkeypatch: pytest.MonkeyPatch, platform: str, words: str
) -> None:
    luajit.binding.cache_clear()
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setitem(sys.modules, "lupa.luajit21", None)
    monkeypatch.setattr("lupa.luajit21", None, raising=False)
    monkeypatch.delattr("lupa.luajit21")
    monkeypatch.setitem(sys.modules, "lupa.lua", None)
    with pytest.raises(LuaUnavailable, match=words):
        luajit.binding()
    luajit.binding.cache_clear()


def _has_luajit() -> bool:
    if not (shutil.which("cc") and shutil.which("pkg-config")):
        return False
    return subprocess.run(["pkg-config", "--exists", "luajit"]).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not _has_luajit(), reason="needs a compiler and the system's LuaJIT")
def test_a_lupa_built_against_the_systems_luajit_serves(tmp_path: Path) -> None:
    """As users of macOS build it."""
    built = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-binary", "lupa",
         "--target", str(tmp_path), "lupa"],
        env={**os.environ, "LUPA_NO_BUNDLE": "true"}, capture_output=True, text=True,
    )
    if built.returncode:
        pytest.skip("lupa cannot be built here: " + built.stderr.strip().splitlines()[-1])
    source = "import t7shell; print(*t7shell.Runtime().eval(\"torch.ones(3):sum(), jit.version\"))"
    paths = os.pathsep.join([str(tmp_path), *(path for path in sys.path if path)])
    done = subprocess.run(
        [sys.executable, "-c", source], env={**os.environ, "PYTHONPATH": paths}, cwd=ROOT,
        capture_output=True, text=True,
    )
    assert done.stdout.startswith("3 LuaJIT 2.1"), done.stderr


@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="reads the checkout")
def test_no_document_installs_a_name_that_is_not_published() -> None:
    """Extras are those of the sources, `.[gpu]`, or of a wheel; messages name packages that exist."""
    folders = [ROOT / "docs", ROOT / "lua", ROOT / "t7shell", ROOT / "examples"]
    found = (path for folder in folders for path in folder.rglob("*"))
    files = [path for path in found if path.suffix in (".md", ".lua", ".py")]
    unpublished = re.compile(r"install ['\"]?t7shell\b(?!\[\w+\] @ file:)")
    wrong = [path for path in files if unpublished.search(path.read_text())]
    assert len(files) > 500 and wrong == []
    text = (ROOT / "pyproject.toml").read_text()
    extras = text.partition("[project.optional-dependencies]\n")[2].partition("\n\n")[0]
    manual = "\n".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    named = set(re.findall(r"'\.\[(\w+)\]'", manual))
    assert named and named <= set(re.findall(r"^(\w+) = ", extras, re.MULTILINE))
