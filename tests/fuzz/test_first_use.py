"""First uses that fail, by descriptors, memory, errors at an instruction and Ctrl-C: the next use works.

T7_FUZZ_FIRST_USES sets how many are tried, T7_FUZZ_FIRST which comes first; `first_use.py i i` repeats one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))
SCRIPT = Path(__file__).with_name("first_use.py")


@pytest.mark.skipif(sys.platform != "linux", reason="limits are set as on Linux")
def test_first_uses_that_fail(slow: bool) -> None:
    uses = int(os.environ.get("T7_FUZZ_FIRST_USES", "12" if slow else "4"))
    command = [sys.executable, str(SCRIPT), str(FIRST), str(FIRST + uses - 1)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60 + 5 * uses)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout == f"{uses} first uses\n"
