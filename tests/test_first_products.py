"""First uses of BLAS, LAPACK and NumPy with little memory end in `not enough memory`.

OpenBLAS ends the process, or tries for ever.

T7_MEMORY_LIMITS=all tries every limit, in steps of 8 MiB.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from t7shell.host import system

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="address spaces are limited by setrlimit")

ALL = os.environ.get("T7_MEMORY_LIMITS") == "all"
LIMITED = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]) << 20,) * 2)
os.execv(sys.executable, [sys.executable, "-m", "t7shell", sys.argv[2]])
"""
FIRST_USES = {
    "decomposition": "print(torch.svd(torch.eye(30)):size(1))",
    "product": "local x = torch.rand(300, 300) print((x * x):size(1))",
    "einsum": "local x = torch.ones(9, 9) print(torch.einsum('ij,jk,kl->il', x, x, x):size(1))",
}
FULL = """
local keep = {}
local a = torch.rand(200, 200)
local function fill() for i = 1, 1e6 do keep[i] = torch.Tensor(131072):fill(1) end end
local function product() return (a * a):size(1) + torch.inverse(a):size(1) end
local fine, problem = pcall(fill)
for i = 1, %d do keep[#keep] = nil end
collectgarbage()
collectgarbage()
print(fine, problem)
print(pcall(product))
"""
AGAIN = """
import mmap, resource, t7shell
lua = t7shell.Runtime()
lua.execute("a = torch.rand(200, 200)")
lua.execute("function product() return (a * a):size(1) + torch.inverse(a):size(1) end")
resource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2)
held = []
for size in (1 << 24, 1 << 20):
    try:
        while True: held.append(mmap.mmap(-1, size))
    except OSError:
        pass
while held:
    held.pop().close()
    print(*lua.eval("pcall(product)"))
"""


def limited(source: str, limit: int, folder: Path) -> subprocess.CompletedProcess[str]:
    script = folder / "script.lua"
    script.write_text(source)
    command = [sys.executable, "-c", LIMITED, str(limit), str(script)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("limit", range(96, 440, 8) if ALL else (120, 200, 260, 288))
@pytest.mark.parametrize("name", FIRST_USES)
def test_first_uses(tmp_path: Path, name: str, limit: int) -> None:
    done = limited(FIRST_USES[name], limit, tmp_path)
    if done.returncode == 0:
        assert int(done.stdout) > 0 and done.stderr == ""
    else:
        assert done.returncode == 1 and "not enough memory" in done.stderr.splitlines()[0]


# Blocks of 1 MiB that are released before the product.
@pytest.mark.parametrize("released", range(10, 200, 10) if ALL else (60,))
@pytest.mark.parametrize("limit", range(400, 720, 40) if ALL else (580, 640))
def test_a_product_after_memory_was_filled(tmp_path: Path, limit: int, released: int) -> None:
    done = limited(FULL % released, limit, tmp_path)
    assert done.returncode == 0, done.stderr[-300:]
    for line in done.stdout.splitlines():
        assert line == "true\t400" or (line.startswith("false\t") and "not enough memory" in line)


def test_memory_that_was_filled_and_released_is_there_again(tmp_path: Path) -> None:
    """A limit that is enough for a product and an inverse is so after memory was filled with tensors."""
    product = "local a = torch.rand(200, 200)\nprint((a * a):size(1) + torch.inverse(a):size(1))"
    fill = """
local keep = {}
pcall(function() for i = 1, 1e6 do keep[i] = torch.Tensor(131072):fill(1) end end)
print(#keep > 50)
keep = nil
collectgarbage()
collectgarbage()
"""
    limits = range(300, 1200, 40)
    enough = next(limit for limit in limits if limited(product, limit, tmp_path).returncode == 0)
    done = limited(fill + product, enough + 16, tmp_path)
    assert done.stdout == "true\n400\n", done.stderr[-300:]


def test_the_same_product_succeeds_with_memory() -> None:
    """The address space is released bit by bit."""
    command = [sys.executable, "-c", AGAIN]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[-300:]
    lines = done.stdout.splitlines()
    failed = lines.index("True 400")
    assert failed > 5 and set(lines[failed:]) == {"True 400"}
    assert all(line.startswith("False ") and "not enough memory" in line for line in lines[:failed])


def test_rooms() -> None:
    assert system.fits(1 << 20) and not system.fits(1 << 60)
    with pytest.raises(MemoryError, match="not enough memory"):
        system.require(1 << 60)
