"""SoftMax and LogSoftMax: the same bits for a group alone, in a batch, and on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

SIZES = [(40, 10), (128, 1000), (3, 20000), (16, 5, 30, 20), (2, 3, 40, 60)]


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("type_name", ["Float", "Double"])
@pytest.mark.parametrize("name", ["SoftMax", "LogSoftMax"])
def test_groups_do_not_depend_on_batch_or_threads(
    runtime: Runtime, name: str, type_name: str, size: tuple[int, ...]
) -> None:
    x = np.sin(np.arange(np.prod(size)) * 0.7).reshape(size) * 5
    runtime.globals()["x"], runtime.globals()["g"] = x, np.cos(x * 3)
    runtime.execute(
        f"m = nn.{name}():type('torch.{type_name}Tensor') x, g = x:type(m:type()), g:type(m:type())\n"
        "local threads = torch.getnumthreads()\n"
        "both, alone = {}, {}\n"
        "for _, count in ipairs{1, 2} do torch.setnumthreads(count)\n"
        "both[count] = torch.cat(m:forward(x):clone(), m:backward(x, g), 1) end\n"
        "torch.setnumthreads(threads)\n"
        "for i = 1, x:size(1) do alone[i] = m:forward(x[i]):clone() end\n"
        "for i = 1, x:size(1) do m:forward(x[i]) alone[x:size(1) + i] = m:backward(x[i], g[i]):clone() end"
    )
    outputs = np.array(runtime.eval("both[1]"))
    np.testing.assert_array_equal(outputs, np.array(runtime.eval("both[2]")))
    for i in range(2 * size[0]):
        np.testing.assert_array_equal(outputs[i], np.array(runtime.eval(f"alone[{i + 1}]")))
    shifted = np.exp(x - x.max(axis=1, keepdims=True))
    expected = shifted / shifted.sum(axis=1, keepdims=True)
    expected = np.log(expected) if name == "LogSoftMax" else expected
    rtol, atol = (3e-5, 2e-7) if type_name == "Float" else (1e-12, 0)
    np.testing.assert_allclose(outputs[: size[0]], expected, rtol, atol)
