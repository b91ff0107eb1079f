"""Programs of C that test a part of the kernels, plain and under sanitizers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from t7shell.native import build

SANITIZERS = pytest.mark.parametrize("sanitize", ["", "address,undefined"], ids=["plain", "sanitized"])
NEEDS_COMPILER = pytest.mark.skipif(
    sys.platform == "win32" or not build.system_compiler(), reason="needs a C compiler"
)


def output(folder: Path, program: str, source: str, sanitize: str) -> str:
    """What a program of this folder prints, with one of the kernels' sources."""
    compiler = build.system_compiler()
    assert compiler
    target = folder / "program"
    sources = [str(Path(__file__).with_name(program)), str(build.FOLDER / source)]
    options = [f"-fsanitize={sanitize}"] if sanitize else []
    command = [compiler, "-std=gnu11", "-O2", f"-I{build.FOLDER}", *sources, *options, "-pthread"]
    subprocess.run([*command, "-o", str(target)], check=True)
    done = subprocess.run([str(target)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
