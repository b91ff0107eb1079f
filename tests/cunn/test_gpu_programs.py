"""Training programs in the shape of the GPU years: the same losses on each backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import Runtime
from tests.backends import DEVICE, running

NETWORKS = Path(__file__).parents[2] / "benchmarks" / "gpu" / "networks.lua"

pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")


def losses(backend: str, name: str) -> tuple[list[float], str]:
    """The losses of 20 steps, and what the CPU computed for the device meanwhile."""
    with running(backend):
        runtime = Runtime()
        runtime.execute(
            f"""
            local networks = dofile({str(NETWORKS)!r})
            torch.manualSeed(3)
            local step = networks.{name}('small')
            found = {{}}
            cutorch.fallbacks(true)
            for i = 1, 20 do found[i] = step() end
            names = {{}}
            for key in pairs(cutorch.fallbacks()) do names[#names + 1] = key end
            names = table.concat(names, ' ')
            """
        )
        return list(runtime.eval("found").values()), runtime.eval("names")


@pytest.mark.parametrize("name", ["resnet", "lstm", "dcgan"])
def test_twenty_steps_have_the_losses_of_the_cpu(name: str) -> None:
    device, fallbacks = losses(DEVICE, name)
    assert device == pytest.approx(losses("cpu", name)[0], rel=1e-3)
    assert device[-1] < device[0] and fallbacks == ""
