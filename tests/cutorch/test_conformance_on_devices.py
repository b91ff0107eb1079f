"""Conformance cases, with types of the device in place of the CPU's: both backends do the same."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.conformance_cases import Case, agrees, claimed_cases, run_sequential

pytestmark = pytest.mark.slow

CASES = claimed_cases()
FILES = ["tensor", "storage", "maths", "corners", "nn", "nngraph", "optim"]

# Sizes stay LongStorages, and strings CharStorages.
_TYPE = re.compile(r"\b(Double|Float|Long|Int|Short|Char|Byte)(?=Tensor\b|(?<!Long)(?<!Char)Storage\b)")
_CONVERSION = re.compile(r":(double|float|long|int|short|char|byte)\(\)")


def _title(below: str) -> str:
    return "Cuda" if below == "Float" else "Cuda" + below


def on_device(case: Case) -> Case:
    """The case with the types of the device: FloatTensor is CudaTensor, DoubleTensor is CudaDoubleTensor."""
    code = _TYPE.sub(lambda found: _title(found[1]), case.code)
    code = _CONVERSION.sub(lambda found: f":type('torch.{_title(found[1].title())}Tensor')", code)
    return replace(case, code=code)


@pytest.mark.parametrize("file", FILES)
def test_backends_agree(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    # The streams of random numbers differ.
    chosen = [on_device(case) for case in CASES if case.path.stem == file and "manualSeed" not in case.code]
    assert len(chosen) > 20
    found = {}
    for backend in ("cpu", "pytorch:cpu"):
        monkeypatch.setenv("T7_CUDA", backend)
        found[backend] = run_sequential(chosen, "-lcunn", default_type="torch.CudaDoubleTensor")
    for case in chosen:
        host, device = (found[backend][case.id] for backend in found)
        assert agrees(replace(case, stdout=host.output), device.output), case.code
        assert host.error == device.error, case.code
    # Files and the sizes of LongTensors know no storages of a device.
    stopped = [case.code for case in chosen if found["cpu"][case.id].error and not case.error]
    assert len(stopped) <= 2, stopped
