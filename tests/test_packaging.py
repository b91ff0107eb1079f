"""Packaging: metadata, archives, and a lupa that was built from source."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from t7shell import LuaUnavailable
from t7shell.core import luajit

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="there is no checkout here")
@pytest.mark.skipif(importlib.util.find_spec("build") is None, reason="needs the package build")
def test_the_wheel_runs_without_the_checkout(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), str(ROOT)]
    if importlib.util.find_spec("hatchling") is None:
        build.remove("--no-isolation")
    subprocess.run(build, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        names = archive.namelist()
    assert "t7shell/docs/index.md" in names and any(name.endswith("/licenses/LICENSE") for name in names)
    source = "import t7shell; print(t7shell.__file__, t7shell.Runtime().eval('torch.ones(3):sum()'))"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert (done.stdout, done.stderr) == (f"{tmp_path / 'site' / 't7shell' / '__init__.py'} 3\n", "")


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
