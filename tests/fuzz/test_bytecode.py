"""Damaged bytecode of files is refused, or loads and is collected without a fault.

T7_FUZZ_BYTECODE sets how many dumps are tried, T7_FUZZ_FIRST which comes first.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..conftest import Run

FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))
SCRIPT = Path(__file__).with_name("bytecode.lua")
LIBRARY = Path(__file__).parents[2] / "lua"
FILES = ["nn/simple/init", "torch/base/types", "torch/language/bytecode"]
FILES += ["packages/cjson/decode", "packages/threads/message"]


def test_damaged_bytecode(t7: Run, slow: bool) -> None:
    dumps = int(os.environ.get("T7_FUZZ_BYTECODE", "6000" if slow else "2000"))
    files = [str(LIBRARY / f"{name}.lua") for name in FILES]
    done = t7(str(SCRIPT), str(dumps), str(FIRST), *files, timeout=600 + dumps / 10)
    assert done.returncode == 0, done.stderr[-2000:]
    count, loaded = map(int, done.stdout.split())
    assert count == dumps and dumps / 20 < loaded < dumps * 19 / 20
