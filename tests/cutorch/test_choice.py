"""The device that computes: T7_CUDA, the option --device, and their imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ..conftest import Run

REQUIRE = "require 'cutorch' print(torch.CudaTensor(2):fill(3):sum())"


def test_the_option_chooses(t7: Run) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    done = t7("--device", "pytorch:cpu", "-e", REQUIRE)
    assert done.stdout == "6\n"
    assert done.stderr == "t7: cutorch: pytorch:cpu computes (PyTorch cpu)\n"


def test_devices_that_are_none(t7: Run) -> None:
    assert "--device: expected cpu, off or pytorch:<device>" in t7("--device", "tpu", "-e", "").stderr
    done = t7("-e", "print(pcall(require, 'cutorch')) print(cutorch)", env={"T7_CUDA": "gpu"})
    assert "T7_CUDA must be 'off', 'cpu' or 'pytorch:<device>'" in done.stdout
    assert done.stdout.endswith("\nnil\n")


def test_a_device_that_is_not_there_is_an_error(t7: Run) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    if torch.cuda.device_count() > 7:
        pytest.skip("this machine has eight GPUs")
    done = t7("-e", "print(pcall(require, 'cutorch'))", env={"T7_CUDA": "pytorch:cuda:7"})
    assert "cutorch: pytorch:cuda:7 cannot compute: " in done.stdout


def test_pytorch_is_imported_for_a_device_alone() -> None:
    code = (
        "import sys; from t7shell import Runtime; "
        f"Runtime().execute({REQUIRE!r}); print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "6\nFalse\n"


def test_states_of_random_numbers_come_back(t7: Run) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    source = """
    require 'cutorch'
    cutorch.manualSeed(3)
    local state = cutorch.getRNGState()
    local function draw() return torch.CudaTensor(4):normal(), torch.CudaTensor(4):cauchy() end
    local a, b = draw()
    local c, d = draw()
    cutorch.setRNGState(state)
    local e, f = draw()
    print(a:equal(e), b:equal(f), a:equal(c), b:equal(d), cutorch.initialSeed())
    """
    for device in ("cpu", "pytorch:cpu"):
        assert t7("--device", device, "-e", source).stdout == "true\ttrue\tfalse\tfalse\t3\n"
