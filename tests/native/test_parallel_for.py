"""The threads of the kernels, in a program of C."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from t7shell.native import build

PROGRAM = Path(__file__).with_name("parallel_for_jobs.c")


@pytest.mark.skipif(sys.platform == "win32" or not build.system_compiler(), reason="needs a C compiler")
@pytest.mark.parametrize("sanitize", ["", "address,undefined"], ids=["plain", "sanitized"])
def test_every_unit_of_consecutive_jobs_runs_once(tmp_path: Path, sanitize: str) -> None:
    compiler = build.system_compiler()
    assert compiler
    target = tmp_path / "jobs"
    sources = [str(PROGRAM), str(build.FOLDER / "parallel_for.c")]
    command = [compiler, "-std=gnu11", "-O2", f"-I{build.FOLDER}", *sources]
    if sanitize:
        command.append(f"-fsanitize={sanitize}")
    subprocess.run([*command, "-pthread", "-o", str(target)], check=True)
    done = subprocess.run([str(target)], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.returncode) == ("each unit ran once\n", 0), done.stderr
