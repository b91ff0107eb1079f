"""Convolution, pooling and normalisation: each layer against NumPy, finite differences, and itself."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

from .layer_records import LAYERS, Layer


def filled(size: tuple[int, ...]) -> np.ndarray:
    """Different values in no order."""
    return np.sin(np.arange(1, np.prod(size) + 1) * 12.9898).reshape(size) * 2


@pytest.mark.parametrize("layer", LAYERS, ids=[layer.make for layer in LAYERS])
def test_output_is_that_of_numpy(runtime: Runtime, layer: Layer) -> None:
    runtime.globals()["x"] = filled(layer.size)
    runtime.execute(
        f"torch.manualSeed(3) m = nn.{layer.make}\n"
        "for _, p in ipairs(m:parameters() or {}) do\n"
        "   p:copy(torch.range(1, p:nElement()):mul(1.7):cos())\n"
        "end\n"
        "y = m:forward(x):clone()"
    )
    names = ("weight", "bias", "connTable")
    fields = {n: np.array(runtime.eval(f"m.{n}")) for n in names if runtime.eval(f"m.{n} ~= nil")}
    wanted = layer.reference(fields, filled(layer.size))
    got = np.array(runtime.eval("y"))
    assert got.shape == wanted.shape
    np.testing.assert_allclose(got, wanted, atol=1e-10)
    if layer.sample:
        for b in range(layer.size[0]):
            runtime.execute(f"one = m:forward(x[{b + 1}]):clone()")
            np.testing.assert_allclose(np.array(runtime.eval("one")), wanted[b], atol=1e-10)


@pytest.mark.parametrize("layer", LAYERS, ids=[layer.make for layer in LAYERS])
def test_what_holds_for_all_layers(runtime: Runtime, layer: Layer) -> None:
    runtime.globals()["x"], runtime.globals()["other"] = filled(layer.size), filled(layer.other)
    runtime.globals()["wrong"] = filled(layer.wrong)
    runtime.execute(f"failures = checks(function() return nn.{layer.make} end, x, other, wrong)")
    assert runtime.eval("table.concat(failures, '; ')") == ""
