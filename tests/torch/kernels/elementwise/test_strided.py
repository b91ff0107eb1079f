"""Rows that are taken one by one: of operands that are expanded, narrowed or transposed."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime

SOURCE = """
return function(x, y, threads)
   local before = torch.getnumthreads()
   torch.setnumthreads(threads)
   local wide, inner = y:expandAs(x), x:narrow(2, 2, x:size(2) - 2)
   local inside = x:clone()
   inside:narrow(2, 2, x:size(2) - 2):mul(2)
   local results = { torch.cmul(x, wide), torch.cmax(x, wide), torch.add(x:t(), 2),
      torch.addcmul(x, 2, x, wide),
      torch.cmul(inner, inner), inside, torch.cmul(x:t():contiguous():t(), x) }
   torch.setnumthreads(before)
   return unpack(results)
end
"""


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("size", [(33, 5), (400, 100), (3000, 70), (70, 3000), (700, 600)])
def test_rows(size: tuple[int, int], dtype: type) -> None:
    runtime = Runtime()
    random = np.random.default_rng(0)
    for other in ((1, size[1]), (size[0], 1)):
        # Products and sums of small whole numbers are exact.
        x, y = random.integers(-9, 9, size).astype(dtype), random.integers(-9, 9, other).astype(dtype)
        inside = x.copy()
        inside[:, 1:-1] *= 2
        expected = [x * y, np.maximum(x, y), x.T + 2, x + 2 * x * y, x[:, 1:-1] ** 2, inside, x * x]
        for threads in (1, 2):
            for got, wanted in zip(runtime.execute(SOURCE)(x, y, threads), expected, strict=True):
                np.testing.assert_array_equal(got, wanted)
