"""Damaged bytecode of files is refused, or loads and is collected without a fault.

T7_FUZZ_BYTECODE sets how many dumps are tried, T7_FUZZ_FIRST which comes first.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..conftest import Run

DUMPS, FIRST = int(os.environ.get("T7_FUZZ_BYTECODE", "6000")), int(os.environ.get("T7_FUZZ_FIRST", "1"))
SCRIPT = Path(__file__).with_name("bytecode.lua")
LIBRARY = Path(__file__).parents[2] / "lua"
FILES = ["nn/simple/init", "torch/base/types", "torch/io/bytecode"]
FILES += ["packages/cjson/decode", "packages/threads/message"]


def test_damaged_bytecode(t7: Run) -> None:
    files = [str(LIBRARY / f"{name}.lua") for name in FILES]
    done = t7(str(SCRIPT), str(DUMPS), str(FIRST), *files, timeout=600 + DUMPS / 10)
    assert done.returncode == 0, done.stderr[-2000:]
    count, loaded = map(int, done.stdout.split())
    assert count == DUMPS and DUMPS / 20 < loaded < DUMPS * 19 / 20
