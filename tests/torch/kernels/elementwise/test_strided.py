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


@pytest.mark.one_in(2)
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


PLANES = """
return function(x, y, low, high, threads)
   local before = torch.getnumthreads()
   torch.setnumthreads(threads)
   local function crop(t) return t:narrow(3, low, high - low + 1):narrow(4, low, high - low + 1) end
   local c, channels, numbers = crop(x), x:narrow(2, 2, x:size(2) - 2), y:view(1, y:size(1), 1, 1):expandAs(x)
   local inside = x:clone()
   crop(inside):mul(2):cmax(1)
   crop(inside):narrow(2, 1, 2):add(3)
   local results = { torch.mul(c, 3), torch.cmul(c, crop(numbers)), inside,
      torch.addcmul(c, 2, c, crop(numbers)), torch.add(channels, channels), torch.clamp(channels, -2, 4),
      torch.cmul(x, numbers),
      torch.add(x:transpose(2, 4), 1), c.gt(c, crop(numbers)) }
   torch.setnumthreads(before)
   return unpack(results)
end
"""

IMAGES = [(6, 5, 40, 41), (3, 64, 28, 28), (2, 4, 100, 90), (40, 8, 11, 12), (1, 3, 400, 9)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_planes(dtype: type) -> None:
    """Crops and channels of images, whose rows and planes lie apart."""
    random = np.random.default_rng(1)
    with Runtime() as runtime:
        run = runtime.execute(PLANES)
        for size in IMAGES:
            x, y = random.integers(-9, 9, size).astype(dtype), random.integers(1, 9, size[1]).astype(dtype)
            low, high = 2, min(size[2:]) - 1
            crop = np.s_[:, :, low - 1 : high, low - 1 : high]
            numbers = np.broadcast_to(y[:, None, None], size)
            c, channels, inside = x[crop], x[:, 1:-1], x.copy()
            inside[crop] = np.maximum(inside[crop] * 2, 1)
            inside[crop][:, :2] += 3
            expected = [c * 3, c * numbers[crop], inside, c + 2 * c * numbers[crop], channels * 2]
            expected += [channels.clip(-2, 4), x * numbers, x.swapaxes(1, 3) + 1, c > numbers[crop]]
            for threads in (1, 2):
                for got, wanted in zip(run(x, y, low, high, threads), expected, strict=True):
                    np.testing.assert_array_equal(got, wanted)


LAYOUTS = """
-- Every step-th element along each dimension, in another order, and one dimension repeated.
local function view(t, steps, order, repeated)
   for d = 1, t:dim() do t = t:unfold(d, 1, steps[d]):select(t:dim() + 1, 1) end
   t = t:permute(unpack(order))
   return repeated and t:narrow(repeated, 1, 1):expandAs(t) or t
end
return function(x, y, r, x_view, y_view, r_view, threads)
   local before = torch.getnumthreads()
   torch.setnumthreads(threads)
   local a, b, z = view(x, unpack(x_view)), view(y, unpack(y_view)), view(r, unpack(r_view))
   z:cmul(a, b)
   z:add(1)
   local smaller, root = a.lt(a, b), z.sqrt and torch.sqrt(z)
   torch.setnumthreads(before)
   return r, smaller, root
end
"""


def strided(array: np.ndarray, steps: list[int], order: list[int], repeated: int | None) -> np.ndarray:
    view = array[tuple(slice(None, None, step) for step in steps)].transpose([d - 1 for d in order])
    if repeated is None:
        return view
    return np.broadcast_to(view.take([0], repeated - 1), view.shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_random_layouts(dtype: type) -> None:
    """Results are in their places, and what lies between these places stays."""
    random = np.random.default_rng(2)
    with Runtime() as runtime:
        run = runtime.execute(LAYOUTS)
        for _ in range(120):
            dims = int(random.integers(2, 6))
            limit = [300, 60, 14, 8][dims - 2]
            sizes = [int(random.choice([1, 2, 3, 7, limit])) for _ in range(dims)]
            arrays, views, places = [], [], []
            for k in range(3):
                order = random.permutation(dims)
                steps = random.choice([1, 1, 2, 3], dims)
                base = [0] * dims
                for place, d in enumerate(order):
                    base[d] = sizes[place] * int(steps[d])
                array = random.integers(1, 9, base).astype(dtype)
                repeated = int(random.integers(1, dims + 1)) if k < 2 and random.random() < 0.3 else None
                arrays.append(array)
                views.append([steps.tolist(), (order + 1).tolist(), repeated])
                places.append(strided(array.copy(), *views[-1]))
            a, b, wanted = places[0], places[1], arrays[2].copy()
            threads = int(random.integers(1, 3))
            strided(wanted, *views[2])[...] = a * b + 1
            root = np.sqrt(strided(wanted, *views[2])) if dtype != np.uint8 else None
            lua = [runtime.execute("return function(...) return {...} end")(*v) for v in views]
            got, smaller, got_root = run(*arrays, *lua, threads)
            np.testing.assert_array_equal(got, wanted)
            np.testing.assert_array_equal(smaller, a < b)
            if root is not None:
                np.testing.assert_array_equal(got_root, root)
