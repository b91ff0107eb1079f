"""The tests end where Ctrl-C is ignored, as in the background of a shell."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.one_in(2)
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize(
    "test", ["ipc/test_connections.py::test_ctrl_c_ends_what_waits", "display/test_page.py -k interrupted"]
)
def test_programs_of_tests_can_be_interrupted(test: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        words = f"tests/{test}".split()
        done = subprocess.run(
            [*command, *words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
        )
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.returncode == 0, done.stdout
