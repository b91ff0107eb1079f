"""Modules and criterions whose tensors were replaced by others: errors, and no step out of memory.

T7_FUZZ_TAMPERED sets that every n-th case runs, T7_FUZZ_FIRST which comes first.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..nn.test_extremes import OTHERS, WINDOWS

FIRST = os.environ.get("T7_FUZZ_FIRST", "1")
SCRIPT = Path(__file__).with_name("tampered.lua")
CASES = SCRIPT.with_name("packages.tsv")


@pytest.mark.skipif(sys.platform != "linux", reason="pages are guarded as on Linux")
@pytest.mark.parametrize("dtype", ["double", "float"])
@pytest.mark.slow
def test_tensors_of_other_sizes_and_types(dtype: str, tmp_path: Path) -> None:
    cases, log = tmp_path / "cases", tmp_path / "log"
    cases.write_text("\n".join(WINDOWS + OTHERS) + "\n" + CASES.read_text())
    command = [sys.executable, "-m", "t7shell", str(SCRIPT), str(SCRIPT.parent), str(cases)]
    command += [FIRST, os.environ.get("T7_FUZZ_TAMPERED", "211"), str(log), dtype]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, f"ended by {done.returncode} in {log.read_text()}\n{done.stderr[-1000:]}"
    *faults, summary = done.stdout.splitlines()
    assert not faults, "\n".join(faults)
    ran, _, succeeded, _ = summary.split()
    # Cases that are all refused would test little.
    assert int(succeeded) > int(ran) / 5 > 0


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (
            "m = nn.LookupTable(100000, 64) m.gradWeight = torch.zeros(1, 64) "
            "m:backward(torch.LongTensor(9):fill(100000), torch.rand(9, 64))",
            "LookupTable: gradWeight must be of the size of weight",
        ),
        (
            "m = nn.Dropout() m:forward(torch.rand(9, 9)) m.noise = torch.rand(9, 9):float() "
            "m:backward(torch.rand(9, 9), torch.rand(9, 9))",
            "backward called before forward on this input",
        ),
        (
            "m = nn.SpatialMaxPooling(2, 2) x = torch.ones(9, 8, 8) "
            "m.indices = torch.LongTensor(1, 1, 1):expand(9, 4, 4) "
            "m:forward(x) error('elements ' .. #m.indices:storage(), 0)",
            "elements 144",
        ),
        (
            "m = nn.SpatialFractionalMaxPooling(2, 2, 2, 2):fixPoolingRegions() "
            "m:forward(torch.rand(1, 6, 6)) m.randomSamples = torch.rand(1, 1, 1000000) "
            "m:forward(torch.rand(1, 6, 6)) error('sizes ' .. m.randomSamples:nElement(), 0)",
            "sizes 2",
        ),
        (
            "m = nn.SpatialCrossMapLRN(3) x = torch.rand(4, 90, 90) m:forward(x) "
            "m.scale = torch.rand(1, 1, 1):expand(4, 90, 90) m:backward(x, x) error('fine', 0)",
            "fine",
        ),
    ],
)
def test_fields_that_led_out_of_memory(change: str, error: str) -> None:
    source = f"require 'nn' local m, x; print(select(2, pcall(function() {change} end)))"
    command = [sys.executable, "-m", "t7shell", "-e", source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert error in done.stdout
