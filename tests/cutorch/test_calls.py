"""Every operation with right and wrong arguments: results and errors are the same on each backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..backends import DEVICE
from ..conftest import Run

CALLS = Path(__file__).with_name("calls.lua")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Cuda", "CudaDouble", "CudaLong", "CudaByte", "CudaHalf"])
def test_calls_end_alike(t7: Run, kind: str) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    cpu, device = (
        t7("--device", name, str(CALLS), f"torch.{kind}Tensor", timeout=200)
        for name in ("cpu", DEVICE)
    )
    assert cpu.returncode == 0 and cpu.stdout.count("\n") > 3000
    differing = [
        pair
        for pair in zip(cpu.stdout.splitlines(), device.stdout.splitlines(), strict=True)
        if pair[0] != pair[1]
    ]
    assert differing == []
