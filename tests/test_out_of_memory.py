"""Programs that run out of memory: one message and the status 1, or an error that `pcall` catches."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="address spaces are limited by setrlimit"),
]

PROTECTED = """
local keep = {}
print(pcall(function() for i = 1, 1e6 do keep[i] = torch.Tensor(100000):fill(1) end end))
print(pcall(function() local t = {} for i = 1, 1e9 do t[i] = { i } end end))
print(pcall(function() local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end end))
keep = nil
collectgarbage()
print(torch.ones(3):sum())
"""

UNPROTECTED = {
    "tables": "local t = {} for i = 1, 1e9 do t[i] = { i } end",
    "tensors": "local t = {} for i = 1, 1e9 do t[i] = torch.FloatTensor(300) end",
    "tables after tensors": """
        local t, keep = {}, {}
        pcall(function() for i = 1, 1e6 do keep[i] = torch.Tensor(1000):fill(1) end end)
        for i = 1, 1e9 do t[i] = { i, torch.Tensor(1) } end
    """,
    "networks": """
        require 'nn'
        local nets = {}
        for i = 1, 1e7 do
           nets[i] = nn.Sequential():add(nn.Linear(100, 100)):add(nn.Tanh())
           nets[i]:forward(torch.ones(3, 100))
        end
    """,
}

LIMITS = [400, 800]  # MiB of address space


def limited(source: str, limit: int, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "script.lua"
    script.write_text(source)
    launcher = (
        "import os, resource, sys;"
        f"resource.setrlimit(resource.RLIMIT_AS, ({limit << 20}, {limit << 20}));"
        "os.execv(sys.executable, [sys.executable, '-m', 't7shell', sys.argv[1]])"
    )
    return subprocess.run(
        [sys.executable, "-c", launcher, str(script)], capture_output=True, text=True, timeout=200
    )


@pytest.mark.parametrize("limit", LIMITS)
def test_pcall_catches_it_and_the_program_goes_on(tmp_path: Path, limit: int) -> None:
    done = limited(PROTECTED, limit, tmp_path)
    lines = done.stdout.splitlines()
    assert [line.startswith("false\t") and "not enough memory" in line for line in lines[:3]] == [True] * 3
    assert lines[3:] == ["3"], done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("name", UNPROTECTED)
def test_the_program_ends_with_a_message(tmp_path: Path, name: str, limit: int) -> None:
    done = limited(UNPROTECTED[name], limit, tmp_path)
    assert done.returncode == 1
    assert "not enough memory" in done.stderr
    assert "PANIC" not in done.stderr and "Traceback" not in done.stderr


ENTRIES = """
import os, resource, sys
from t7shell.engine.engine import Engine
engine = Engine()
engine.execute("keep = {}")
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]) * 1024,) * 2)
engine.execute(sys.argv[2])
results, failed = [], 0
for i in range(2000):
    try:
        large = b"y" * (1000 * (i % 300)) if i % 10 == 0 else b""
        result = engine.execute(b"keep[#keep + 1] = [[" + large + b"]]", "=x", "script", [b"%d" % i])
        failed += not result.ok
        assert result.ok or "not enough memory" in result.message, result.message
        results.append(result)
    except MemoryError:
        # Python's own memory.
        failed += 1
os.write(1, b"done %d" % failed)
os._exit(0)
"""


@pytest.mark.parametrize("before", ["", "for i = 1, 1e9 do keep[#keep + 1] = { i } end"])
@pytest.mark.parametrize("left", [0, 16, 256])
def test_calls_by_python_without_memory_left(before: str, left: int) -> None:
    """Memory that lupa allocates before its protected call is available: the process would end otherwise."""
    command = [sys.executable, "-c", ENTRIES, str(left), before]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0 and "PANIC" not in done.stderr, done.stderr[-500:]
    assert done.stdout.startswith("done ")
