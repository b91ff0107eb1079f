"""Wrong calls end in clean errors: no crash, no hang, no error from inside the library, no gigabytes.

`fuzz/calls.lua` makes the calls, in child processes so that a crash is seen; its log names the one that ran.
T7_FUZZ sets how many are made.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

CALLS = int(os.environ.get("T7_FUZZ", "1500"))
CHILDREN = 2
FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))
SCRIPT = Path(__file__).with_name("calls.lua")
# Seconds without a new line in the log after which a call counts as hanging.
PATIENCE = 60
ADDRESS_SPACE = 5 * 2**28
RESIDENT = 2**30

# The limit makes allocations beyond it fail in malloc, as on a machine without free memory.
_LIMITED = f"""
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, ({ADDRESS_SPACE}, {ADDRESS_SPACE}))
sys.argv = ["t7", *sys.argv[1:]]
try:
    runpy.run_module("t7shell", run_name="__main__", alter_sys=True)
finally:
    # What getrusage says begins with the memory of the process that started this one.
    print("peak", open("/proc/self/status").read().partition("VmHWM:")[2].split()[0], flush=True)
"""


def _start(folder: Path, first: int, last: int, *options: str) -> subprocess.Popen[str]:
    folder.mkdir()
    # Freed memory is filled with rubbish, so that reading it shows; one thread keeps the address space small.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MALLOC_PERTURB_": "165"}
    command = [sys.executable, "-c", _LIMITED, str(SCRIPT), str(first), str(last), "log", *options]
    with open(folder / "out", "w") as out:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
        )


def _running_call(folder: Path) -> str:
    log = folder / "log"
    return log.read_text("latin-1").partition("\n")[0].strip() if log.exists() else "no call yet"


def _wait(child: subprocess.Popen[str], folder: Path) -> None:
    """Waits for the end of a child; fails the test if one call takes too long."""
    call, since = "", time.monotonic()
    while child.poll() is None:
        time.sleep(0.2)
        now = _running_call(folder)
        if now != call:
            call, since = now, time.monotonic()
        elif time.monotonic() - since > PATIENCE:
            pytest.fail(f"hangs: {call}")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set as on Linux")
def test_wrong_calls_of_packages(tmp_path: Path) -> None:
    """Functions and methods of packages: the process goes on, and tensors stay within their memory."""
    folder = tmp_path / "packages"
    child = _start(folder, FIRST, FIRST + CALLS // 5 - 1, "packages")
    try:
        _wait(child, folder)
    finally:
        child.kill()
        child.wait()
    out = (folder / "out").read_text("latin-1")
    assert child.returncode == 0, f"crash {child.returncode}: {_running_call(folder)}\n{out}"
    faults = [line for line in out.splitlines() if line[:1].isdigit() and "\t" in line]
    assert not faults, "\n".join(faults)
    (summary,) = (line.split() for line in out.splitlines() if line.startswith("calls "))
    assert int(summary[1]) == CALLS // 5 and int(summary[3]) > CALLS / 100


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set as on Linux")
def test_wrong_calls_end_in_clean_errors(tmp_path: Path) -> None:
    share = CALLS // CHILDREN
    folders = [tmp_path / str(k) for k in range(CHILDREN)]
    children = [
        _start(folder, FIRST + k * share, FIRST + (k + 1) * share - 1) for k, folder in enumerate(folders)
    ]
    try:
        for child, folder in zip(children, folders, strict=True):
            _wait(child, folder)
            out = (folder / "out").read_text("latin-1")
            assert child.returncode == 0, f"crash {child.returncode}: {_running_call(folder)}\n{out}"
            *faults, summary, peak = out.splitlines()
            assert not faults, "\n".join(faults)
            _, made, _, succeeded, _, _ = summary.split()
            assert int(made) == share
            # Calls that are all refused would test little.
            assert int(succeeded) > share / 5
            assert int(peak.split()[1]) * 1024 < RESIDENT, peak
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
            child.wait()


@pytest.mark.parametrize("other", ["1", "torch.IntTensor(2)", "nil"])
def test_map2_of_empty_tensors(other: str) -> None:
    """Calls that the fuzzer found: an empty tensor has no memory, and the process died."""
    program = f"print(pcall(torch.IntTensor().map2, torch.IntTensor(), torch.IntTensor(), {other}, print))"
    command = [sys.executable, "-m", "t7shell", "-e", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0
    assert result.stdout.startswith("false") and ": map2: " in result.stdout


def test_chunks_of_the_largest_number() -> None:
    """A call that the fuzzer found: pieces of no length, without end."""
    program = "print(#torch.Tensor(1):chunk(2^53), #torch.Tensor(7):chunk(2^53), #torch.Tensor(7):chunk(3))"
    command = [sys.executable, "-m", "t7shell", "-e", program]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert result.stdout.split() == ["1", "7", "3"]
