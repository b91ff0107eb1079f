"""Fields of modules and criterions that hold values of other kinds: errors name the module and the field.

T7_FUZZ_KINDS sets that every n-th field is tried, T7_FUZZ_FIRST which comes first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ..nn.test_extremes import OTHERS, WINDOWS

FIRST = os.environ.get("T7_FUZZ_FIRST", "1")
SCRIPT = Path(__file__).with_name("field_kinds.lua")
CASES = SCRIPT.with_name("packages.tsv")


def test_errors_name_the_field(tmp_path: Path, slow: bool) -> None:
    step = os.environ.get("T7_FUZZ_KINDS", "331" if slow else "1999")
    cases = tmp_path / "cases"
    cases.write_text("\n".join(WINDOWS + OTHERS) + "\n" + CASES.read_text())
    command = [sys.executable, "-m", "t7shell", str(SCRIPT), str(cases), FIRST, step]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    assert done.returncode == 0, done.stderr[-1000:]
    *raw, summary = done.stdout.splitlines()
    assert raw == []
    count, tried = int(summary.split()[0]), int(summary.split()[2])
    assert count > 10_000 and tried == len(range(int(FIRST), count + 1, int(step)))
