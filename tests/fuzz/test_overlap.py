"""Results that share memory with operands: the same numbers as of copies.

T7_FUZZ_OVERLAP sets how many calls are made, T7_FUZZ_FIRST which comes first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))
SCRIPT = Path(__file__).with_name("overlap.lua")


def test_results_that_share_memory_with_operands(tmp_path: Path, slow: bool) -> None:
    calls = int(os.environ.get("T7_FUZZ_OVERLAP", "3000" if slow else "1000"))
    log = tmp_path / "log"
    command = [sys.executable, "-m", "t7shell", str(SCRIPT), str(FIRST), str(FIRST + calls - 1), str(log)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 + calls / 100)
    assert done.returncode == 0, f"ended by {done.returncode} at {log.read_text()}\n{done.stderr[-1000:]}"
    *faults, summary = done.stdout.splitlines()
    assert not faults, "\n".join(faults[:20])
    assert int(summary.split()[0]) > calls * 0.9
