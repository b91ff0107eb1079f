"""Numbers of modules and criterions at extremes: sizes of 2^31 and more, negative numbers, nan and fractions.

`extremes.lua` sets them in constructors, before forward, and between forward and backward. Every STEPth
case runs; T7_FUZZ_EXTREMES=1 runs all of them in two minutes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .criterion_records import CRITERIONS
from .layer_records import CONVOLUTIONS, NORMALIZATION, POOLING, Layer
from .module_records import MODULES

Lua = Callable[[str], str]

SCRIPT = Path(__file__).with_name("extremes.lua")
# No case computes for long: where the log does not change for this many seconds, one hangs.
PATIENCE = 60
ADDRESS_SPACE = 3 * 2**30


def _layers(records: list[Layer]) -> list[str]:
    return [f"module\t{r.make}\tt({', '.join(map(str, r.size))})" for r in records]


WINDOWS = [
    *_layers(CONVOLUTIONS + POOLING),
    "module\tSpatialFractionalMaxPooling(2, 2, 3, 3)\tt(1, 2, 7, 7)",
    "module\tSpatialFractionalMaxPooling(2, 2, 0.5, 0.6)\tt(1, 2, 7, 7)",
    "module\tVolumetricFractionalMaxPooling(2, 2, 2, 3, 3, 3)\tt(1, 2, 7, 7, 7)",
]
OTHERS = [
    *_layers(NORMALIZATION),
    *(f"module\t{r.make}\t{r.input}" for r in MODULES),
    *(f"criterion\t{r.make}\t{r.input}, {r.target}" for r in CRITERIONS),
]
# Repeater makes as many steps as it is asked for.
OF_PACKAGES = [
    line
    for line in (SCRIPT.parents[1] / "fuzz" / "packages.tsv").read_text().splitlines()
    if "Repeater(" not in line
]


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


@pytest.mark.one_in(2)
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are set as on Linux")
@pytest.mark.parametrize("cases", [WINDOWS, OTHERS, OF_PACKAGES], ids=["windows", "others", "packages"])
def test_extreme_numbers_are_errors(cases: list[str], tmp_path: Path, slow: bool) -> None:
    step = int(os.environ.get("T7_FUZZ_EXTREMES", "37" if slow else "149"))
    (tmp_path / "cases").write_text("\n".join(cases) + "\n")
    log, out = tmp_path / "log", tmp_path / "out"
    command = [sys.executable, "-m", "t7shell", str(SCRIPT), str(tmp_path / "cases"), "1", "1e9", str(log)]
    with open(out, "w") as file:
        child = subprocess.Popen(
            [*command, str(step)],
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            preexec_fn=_limit_memory,
        )
    try:
        case, since = "", time.monotonic()
        while child.poll() is None:
            time.sleep(0.1)
            now = log.read_text("latin-1").partition("\n")[0].strip() if log.exists() else ""
            if now != case:
                case, since = now, time.monotonic()
            assert time.monotonic() - since < PATIENCE, f"hangs: {case}"
    finally:
        child.kill()
        child.wait()
    *lines, summary = out.read_text("latin-1").splitlines() or [""]
    # Modules such as Profile print lines.
    faults = [line for line in lines if "\t" in line]
    assert child.returncode == 0, f"{child.returncode} in {log.read_text('latin-1')}"
    assert not faults, "\n".join(faults[:20])
    made, succeeded, ran = (int(word.strip(",")) for word in summary.split() if word.strip(",").isdigit())
    assert ran >= made // step
    assert succeeded > ran / 10


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "nn.SpatialConvolution(1, 1, 1, 1, 1, 2^31):forward(torch.ones(1, 4, 4))",
            "dH must be a whole number from 1 to 2147483647 (got 2147483648)",
        ),
        (
            "nn.SpatialMaxPooling(2, 2, 2^40, 1):forward(torch.ones(1, 4, 4))",
            "dW must be a whole number from 1 to 2147483647 (got 1099511627776)",
        ),
        (
            "nn.SpatialConvolution(1, 1, 1, 1, 1, 1, 2^31 - 1, 0):forward(torch.ones(1, 4, 4))",
            "output width must be a whole number from 1 to 2147483647 (got 4294967298)",
        ),
        (
            "nn.SpatialMaxPooling(2^20, 2^20, 1, 1, 2^19, 2^19):forward(torch.ones(1, 4, 4))",
            "a padded plane of the input must have at most 2147483647 elements",
        ),
        (
            "nn.SpatialAdaptiveMaxPooling(2^20, 2^20):forward(torch.ones(1, 4, 4))",
            "a plane of the output must have at most 2147483647 elements",
        ),
        (
            "nn.SpatialZeroPadding(2^31 - 1, 2^31 - 1, 0, 0):forward(torch.ones(1, 4, 4))",
            "output size must be a whole number from 1 to 2147483647 (got 4294967298)",
        ),
        (
            "nn.SpatialUpSamplingNearest(2^31):forward(torch.ones(1, 4, 4))",
            "scale_factor must be a whole number from 1 to 2147483647 (got 2147483648)",
        ),
        (
            "local m = nn.SpatialZeroPadding(1, 1, 1, 1) local y = m:forward(torch.ones(1, 2, 2)):clone() "
            "m.pad_l = 0/0 m:backward(torch.ones(1, 2, 2), y)",
            "pad_l must be a whole number from -2147483647 to 2147483647 (got nan)",
        ),
        (
            "local m = nn.Linear(1, 1) m.weight = torch.Tensor(1):view(1, 1):expand(1, 2^31) "
            "m:forward(torch.Tensor(1):expand(2^31))",
            "a row or a column of weight must have at most 2147483647 elements (got 2147483648)",
        ),
        (
            "local m = nn.SpatialMaxPooling(2, 2) local y = m:forward(torch.ones(1, 4, 4)):clone() "
            "m.dH = 1.5 m:backward(torch.ones(1, 4, 4), y)",
            "dH must be a whole number from 1 to 2147483647 (got 1.5)",
        ),
    ],
)
def test_sizes_beyond_the_kernels(lua: Lua, code: str, message: str) -> None:
    assert message in lua(f"require 'nn' print(select(2, pcall(function() {code} end)))")


def test_a_stride_of_the_largest_size(lua: Lua) -> None:
    """A window that does not move is the same for any stride; the plan had room for all rows between two."""
    program = (
        "require 'nn' torch.manualSeed(1) local x = torch.rand(2, 5, 5) "
        "for _, m in ipairs{nn.SpatialConvolution(2, 2, 3, 3, 3, 3), nn.SpatialMaxPooling(4, 4, 4, 4), "
        "nn.SpatialFullConvolution(2, 2, 3, 3)} do "
        "local z = torch.type(m) == 'nn.SpatialFullConvolution' and x:narrow(2, 1, 1):narrow(3, 1, 1) or x "
        "local y = m:forward(z):clone() local g = m:backward(z, y):clone() "
        "m.dW, m.dH = 2^31 - 1, 2^31 - 1 "
        "print(m:forward(z):equal(y), m:backward(z, y):equal(g)) end"
    )
    assert lua(program).split() == ["true"] * 6
