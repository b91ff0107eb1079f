"""Memory that another process or thread writes to: what was checked may have changed when it is used.

T7_FUZZ_RACES sets how many seconds each operation runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("races.lua")
COUNT = 20000
# The type, a right element, and wrong ones: indices out of range, masks beyond 1, NaNs with payloads, sizes.
PAYLOADS = {"f8": [0xFFFD800041414140, 0xFFFA000041414140], "f4": [0xFFEC0000, 0xFFD00000]}


def _bits(dtype: str) -> tuple[str, int, list[int]]:
    kind = dtype.replace("f", "u")
    right, *wrong = np.array([1.5, np.inf, 2**40, -(2**40), 1e30], dtype).view(kind).tolist()
    return kind, right, PAYLOADS[dtype] + wrong


FILES = {
    "places": ("i8", 1, [2**40, -(2**40), 0, 10**6]),
    "mask": ("u1", 0, [1, 255]),
    "doubles": _bits("f8"),
    "floats": _bits("f4"),
}
# Elements are right and wrong by turns, for times that no loop is in step with.
WRITER = f"""
import os, random, sys, time
import numpy as np
files, folder, chance, parent = {FILES!r}, sys.argv[1], random.Random(1), os.getppid()
maps = {{name: np.memmap(f"{{folder}}/{{name}}", row[0], "r+") for name, row in files.items()}}
while os.getppid() == parent:
    for name, (_, right, wrong) in files.items():
        value = np.array(chance.choice(wrong)).astype(maps[name].dtype)
        for _ in range(chance.randint(1, 20)):
            maps[name][chance.choice([0, chance.randrange({COUNT})]) :] = value
            time.sleep(chance.choice([0, 1e-4 * chance.random()]))
            maps[name][:] = right
            time.sleep(chance.choice([0, 3e-4 * chance.random()]))
"""


@pytest.mark.one_in(2)
@pytest.mark.skipif(sys.platform != "linux", reason="files are mapped as on Linux")
@pytest.mark.parametrize("kind", ["process", "thread"])
def test_memory_that_others_write_to(kind: str, tmp_path: Path, slow: bool) -> None:
    seconds = os.environ.get("T7_FUZZ_RACES", "0.1" if slow else "0.02")
    lines = []
    for name, (dtype, right, wrong) in FILES.items():
        np.full(COUNT, right, dtype).tofile(tmp_path / name)
        lines += [f"{name} {value % 2**64:#x}\n" for value in wrong]
    (tmp_path / "wrong").write_text("".join(lines))
    command = [sys.executable, "-m", "t7shell", str(SCRIPT), str(tmp_path), seconds, kind]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, errors="replace", **streams) as reader:
        assert reader.stdin and reader.stdout
        writer = None
        try:
            assert reader.stdout.readline() == "ready\n", reader.communicate()[1]
            if kind == "process":
                writer = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path)])
            out, errors = reader.communicate("\n", timeout=600)
        finally:
            reader.kill()
            if writer:
                writer.kill()
                writer.wait()
    assert reader.returncode == 0, f"ended by {reader.returncode} in {errors.splitlines()[-1:]}"
    assert out == "done\n", out[:1000]
