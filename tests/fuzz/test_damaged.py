"""Damaged files of all formats end in errors: no crash, no hang, no forged value, no code of the file.

T7_FUZZ_FILES sets how many are read, T7_FUZZ_FIRST which comes first; `damaged.py i i folder` repeats one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

for _library in ("h5py", "scipy.io", "PIL"):
    pytest.importorskip(_library)

FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))
SCRIPT = Path(__file__).with_name("damaged.py")
_LIMITED = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set as on Linux")
def test_damaged_files(tmp_path: Path, slow: bool) -> None:
    files = int(os.environ.get("T7_FUZZ_FILES", "600" if slow else "100"))
    command = [sys.executable, "-c", _LIMITED, str(SCRIPT), str(FIRST), str(FIRST + files - 1), str(tmp_path)]
    # So long only if a reader hangs.
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=600 + files)
    log = tmp_path / "log"
    running = log.read_text().splitlines()[0] if log.exists() else done.stderr
    assert done.returncode == 0, f"ended by {done.returncode} at {running}\n{done.stderr[-2000:]}"
    *faults, summary = done.stdout.splitlines()
    assert not faults, "\n".join(faults)
    count, _, read, _ = summary.split()
    # Most are damaged enough to be refused, and not all.
    assert int(count) == files and files / 10 < int(read) < files * 9 / 10
