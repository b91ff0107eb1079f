"""Operations on tensors of a device of PyTorch against NumPy, and which of them the device computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import Runtime
from tests.backends import DEVICE, running
from tests.op_records import BINARY, COMPARISONS, DIMENSIONS, TOTALS, UNARY, Record
from tests.torch.ops.test_ops import LAYOUTS, arguments, check, operands

pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

# Gives the device the memory of its tensors as it lies on the host, so that layouts stay.
PRELUDE = """
require 'cutorch'
local function to_device(value)
   if not torch.isTensor(value) then return value end
   local title = 'Cuda' .. (value:type():match('torch%.(%a+)Tensor'):gsub('Float', ''))
   local storage = value:storage()
   local moved = torch[title .. 'Storage'](#storage):copy(storage)
   local t = torch[title .. 'Tensor'](moved, value:storageOffset(), value:size(), value:stride())
   -- From now on the device has the elements.
   if title == 'Cuda' or title == 'CudaDouble' then t.new():set(storage and moved):mul(1) end
   return t
end
local function to_host(value)
   if not torch.isTensor(value) then return value end
   return value[value:type():match('torch%.Cuda(%a*)Tensor'):lower():gsub('^$', 'float')](value)
end
return function(way, name, ...)
   local given = {}
   for i = 1, select('#', ...) do given[i] = to_device((select(i, ...))) end
   cutorch.fallbacks(true)
   local a, b
   if way == 'function' then
      a, b = torch[name](unpack(given))
   elseif way == 'method' then
      a, b = given[1][name](unpack(given))
   else
      local like = torch.isTensor(given[1]) and given[1] or given[2]
      a, b = torch[name](like.new(), unpack(given))
   end
   local fallbacks = cutorch.fallbacks()[name] or 0
   return to_host(a), to_host(b), fallbacks
end
"""


@pytest.fixture(scope="module")
def call() -> Callable[..., Any]:
    """call(way, name, ...) on the device: its results, and how often the CPU computed the operation."""
    with running(DEVICE):
        return Runtime().eval(f"(function() {PRELUDE} end)()")


# What the device computes for Float; the rest is the CPU's.
ON_DEVICE = set(
    """abs neg cinv sqrt rsqrt exp log log1p lgamma sigmoid sin cos tan asin acos atan sinh cosh tanh
    floor ceil trunc frac round sign add csub mul cmul div cdiv fmod mod remainder cfmod cmod cremainder cpow
    cmax cmin clamp pow atan2
    lerp addcmul addcdiv lt le gt ge eq ne""".split()  # noqa: SIM905
)


def cases(records: list[Record]) -> list[Any]:
    return [pytest.param(record, name, id=f"{record}-{name}") for record in records for name in record.types]


@pytest.mark.parametrize(("record", "name"), cases(UNARY + BINARY + COMPARISONS))
def test_elementwise(call: Callable[..., Any], record: Record, name: str) -> None:
    for layout in LAYOUTS:
        tensors = operands(record, name, layout)
        with np.errstate(all="ignore"):
            expected = record.reference(*tensors, *record.numbers)
        if record not in COMPARISONS:
            expected = np.asarray(expected).astype(tensors[0].dtype)
        given = arguments(record, tensors)
        in_place = record.in_place and layout != "expanded" and record.order[0] == "t"
        for way in ("function", "result", "method") if in_place else ("function", "result"):
            got, _, fallbacks = call(way, record.name, *given)
            check(got, expected, record, f"{way} {layout}")
            if record.name in ON_DEVICE and name == "Float":
                assert fallbacks == 0, f"{way} {layout}"


@pytest.mark.parametrize(("record", "name"), cases(DIMENSIONS))
def test_along_a_dimension(call: Callable[..., Any], record: Record, name: str) -> None:
    for layout in LAYOUTS[:4]:
        (tensor,) = operands(record, name, layout)
        for axis in range(tensor.ndim):
            expected = record.reference(tensor, axis, *record.numbers)
            got, places, fallbacks = call("function", record.name, *arguments(record, [tensor], axis + 1))
            wanted = expected if isinstance(expected, tuple) else (expected,)
            check(got, wanted[0], record, f"{layout} {axis}")
            if len(wanted) > 1:
                assert np.array_equal(places, wanted[1]), f"{layout} {axis}"
            if record.name in ("max", "min", "sum", "prod", "mean", "cumsum", "cumprod") and name == "Float":
                assert fallbacks == 0


@pytest.mark.parametrize(("record", "name"), cases(TOTALS))
def test_totals(call: Callable[..., Any], record: Record, name: str) -> None:
    for layout in LAYOUTS:
        if record.name == "prod" and layout == "long":
            # The type cannot hold it.
            continue
        tensors = operands(record, name, layout)
        got = call("function", record.name, *arguments(record, tensors))[0]
        expected = record.reference(*tensors, *record.numbers)
        np.testing.assert_allclose(float(got), float(expected), rtol=1e-4, atol=1e-5, err_msg=layout)
