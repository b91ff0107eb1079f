"""What is written shares memory with what is still to be read: operands, indices, masks, lists, streams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell.bridge.runtime import Runtime

Value = Callable[[str], object]
BIG = 2**40


@pytest.fixture(scope="module")
def value() -> Value:
    lua = Runtime()

    def run(source: str) -> object:
        result = lua.execute(source)
        return result.tolist() if hasattr(result, "tolist") else result

    return run


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "local p = torch.LongTensor{3, 1, 2} return p:indexCopy(1, p, torch.LongTensor{10, 20, 30})",
            [20, 30, 10],
        ),
        (
            "local p = torch.LongTensor{3, 1, 2} return p:indexAdd(1, p, torch.LongTensor{10, 20, 30})",
            [23, 31, 12],
        ),
        ("local p = torch.LongTensor{2, 3, 4, 1} return p:indexFill(1, p, 2^40)", [BIG] * 4),
        (
            """local b = torch.LongTensor{1, 2, 3, 4}
            b:narrow(1, 2, 3):index(torch.LongTensor(4):fill(2^40), 1, b:narrow(1, 1, 3)) return b""",
            [1, BIG, BIG, BIG],
        ),
        (
            """local b = torch.LongTensor{1, 2, 3, 4, 1}
            b:narrow(1, 2, 4):scatter(1, b:narrow(1, 1, 4), 2^40) return b""",
            [1, BIG, BIG, BIG, BIG],
        ),
        (
            """local b = torch.LongTensor{1, 2, 3, 4, 1}
            b:narrow(1, 2, 4):scatter(1, b:narrow(1, 1, 4), torch.LongTensor{5, 6, 7, 8}) return b""",
            [1, 5, 6, 7, 8],
        ),
        (
            "local b = torch.ones(8):byte() b:narrow(1, 2, 7):maskedFill(b:narrow(1, 1, 7), 200) return b",
            [1] + [200] * 7,
        ),
        (
            """local b = torch.ones(4):byte()
            b:narrow(1, 2, 3):maskedCopy(b:narrow(1, 1, 3), torch.ByteTensor{5, 6, 7}) return b""",
            [1, 5, 6, 7],
        ),
        ("local t = torch.LongTensor{5, 0, 7, 0, 9} return torch.nonzero(t, t)", [[1], [3], [5]]),
        (
            """local t = torch.range(1, 12):resize(3, 4)
            local r = t.new(t):resize(0) return r:index(t, 2, torch.LongTensor{4, 3, 2, 1})""",
            [[4, 3, 2, 1], [8, 7, 6, 5], [12, 11, 10, 9]],
        ),
        (
            "local t = torch.range(1, 4):resize(2, 2) local r = t.new(t):resize(0) return torch.sum(r, t, 1)",
            [[4, 6]],
        ),
    ],
)
def test_operands_are_read_as_they_were(source: str, expected: object, value: Value) -> None:
    assert value(source) == expected


def test_indices_that_set_the_tensor_meanwhile(value: Value) -> None:
    """A table of indices with an __index: the view is one of what the tensor was when reading began."""
    source = """
    local t, big, reads = torch.zeros(2, 2, 2), torch.ones(3, 2, 2000), 0
    local list = setmetatable({}, {__index = function(_, k)
       reads = reads + 1
       if reads == %d then t:set(big) end
       return k <= 3 and {1, 2} or nil
    end})
    local v = t[list]
    return v:nElement() + v:sum() + v:storage():size()"""
    found = {value(source % n) for n in range(1, 12)}
    assert found <= {8 + 0 + 8, 8 + 8 + 12000}
    source = """
    local t = torch.zeros(2, 2)
    local list = setmetatable({2, 2}, {__index = function() t:set(torch.ones(1)) end})
    return (pcall(function() return t[list] end))"""
    assert value(source) is False


def test_list_that_gives_other_tensors_the_second_time(value: Value) -> None:
    source = """
    local small, big, reads = torch.ones(4), torch.ones(1000000), 0
    local list = setmetatable({small, nil, small, small}, {__index = function()
       reads = reads + 1
       return reads > 1 and big or small
    end})
    local joined = torch.cat(list, 1)
    return joined:size(1), joined:sum()"""
    assert value(source) in [(16, 16), (1000012, 1000012)]


def test_stream_that_is_given_its_own_storage(value: Value) -> None:
    """It grows while its old memory is read. Blocks of this size go back to the system when freed."""
    source = """
    local n = 130 * 2^20
    local storage = torch.CharStorage(n):fill(65)
    storage[n] = 0
    local file = torch.MemoryFile(storage, 'rw'):binary()
    file:seekEnd()
    return file:writeChar(storage), storage:size(), storage[1], storage[2 * n - 2], storage[2 * n - 1]"""
    n = 130 * 2**20
    assert value(source) == (n, 2 * n, 65, 65, 0)


# `w` is a tensor of the memory of `b` with a separate storage, a view of the other.
VIEWED = """
local b = torch.LongTensor{1, 2, 3, 4, 1}
local w = torch.LongTensor(torch.LongStorage(b:storage(), 1, 4))
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("b:narrow(1, 2, 4):scatter(1, w, 2^40) return b", [1, BIG, BIG, BIG, BIG]),
        ("b:narrow(1, 1, 4):indexFill(1, w, 2^40) return b", [BIG, BIG, BIG, BIG, 1]),
        ("b:narrow(1, 1, 4):indexCopy(1, w, torch.LongTensor{5, 6, 7, 8}) return b", [5, 6, 7, 8, 1]),
        ("w:index(torch.LongTensor(4):fill(2^40), 1, b:narrow(1, 1, 4)) return b", [BIG, BIG, BIG, BIG, 1]),
        ("b:narrow(1, 2, 4):add(w) return b", [1, 3, 5, 7, 5]),
        ("torch.cumsum(b:narrow(1, 2, 4), w) return b", [1, 1, 3, 6, 10]),
        ("torch.cat(b:narrow(1, 2, 4), w:narrow(1, 1, 2), w:narrow(1, 3, 2)) return b", [1, 1, 2, 3, 4]),
        ("torch.mm(b:narrow(1, 2, 4):view(2, 2), w:view(2, 2), w:view(2, 2)) return b", [1, 7, 10, 15, 22]),
        ("b:narrow(1, 2, 4):copy(w) return b", [1, 1, 2, 3, 4]),
    ],
)
def test_views_of_one_storage(value: Value, source: str, expected: list[int]) -> None:
    assert value(VIEWED + source) == expected


# Operands and results, and the same with copies of the operands.
PRODUCTS = {
    "mm": ((3, 4), (4, 5), (3, 5), "r:mm(a, b)"),
    "addmm": ((3, 4), (4, 5), (3, 5), "r:addmm(2, r, 3, a, b)"),
    "mv": ((3, 4), (4,), (3,), "r:mv(a, b)"),
    "addmv": ((3, 4), (4,), (3,), "r:addmv(2, r, 3, a, b)"),
    "addr": ((3,), (4,), (3, 4), "r:addr(a, b)"),
    "bmm": ((2, 3, 4), (2, 4, 5), (2, 3, 5), "r:bmm(a, b)"),
    "addbmm": ((2, 3, 4), (2, 4, 5), (3, 5), "r:addbmm(2, r, 3, a, b)"),
}


@pytest.mark.parametrize("kind", ["Double", "Float", "Long"])
@pytest.mark.parametrize("product", PRODUCTS)
def test_products_of_views_of_one_storage(value: Value, product: str, kind: str) -> None:
    """Operands that overlap the result are read before it is written, also where columns interleave."""
    a, b, r, call = PRODUCTS[product]
    shapes = "{" + ", ".join("{" + ", ".join(map(str, shape)) + "}" for shape in (a, b, r)) + "}"
    source = f"""
    local wrong = 0
    local all = torch.range(1, 100):remainder(7):type('torch.{kind}Tensor')
    local function view(shape)
       local step = torch.random(1, 2) == 1 and 1 or 3
       local sizes, strides = torch.LongStorage(shape), torch.LongStorage(#shape)
       for d = #shape, 1, -1 do
          strides[d] = step
          step = step * shape[d]
       end
       if #shape == 2 and torch.random(1, 3) == 1 then strides[1], strides[2] = 10, 1 end
       local last = 1
       for d = 1, #shape do last = last + (shape[d] - 1) * strides[d] end
       if last > 90 then return view(shape) end
       return all.new(all:storage(), torch.random(1, 100 - last), sizes, strides)
    end
    for _ = 1, 300 do
       all:copy(torch.range(1, 100):remainder(7))
       local shapes = {shapes}
       local a, b, r = view(shapes[1]), view(shapes[2]), view(shapes[3])
       local expected = r:clone()
       do
          local a, b, r = a:clone(), b:clone(), expected
          {call}
       end
       {call}
       if not torch.all(torch.eq(r, expected)) then wrong = wrong + 1 end
    end
    return wrong"""
    assert value(source) == 0


def test_arrays_that_overlap() -> None:
    array = np.array([1, 2, 3, 4, 1])
    scatter = Runtime().execute("return function(to, indices) to:scatter(1, indices, 2^40) end")
    scatter(array[1:], array[:4])
    assert array.tolist() == [1, BIG, BIG, BIG, BIG]


def test_a_file_that_is_mapped_twice(value: Value, tmp_path: Path) -> None:
    path = tmp_path / "indices"
    path.write_bytes(np.array([1, 2, 3, 4, 1]).tobytes())
    map_twice = f"""
    local a = torch.LongTensor(torch.LongStorage('{path}', true, 5))
    local b = torch.LongTensor(torch.LongStorage('{path}', true, 5))
    b:narrow(1, 2, 4):scatter(1, a:narrow(1, 1, 4), 2^40)
    return a"""
    assert value(map_twice) == [1, BIG, BIG, BIG, BIG]


def test_a_stream_whose_storage_became_shorter(value: Value) -> None:
    read = """
    local read = 0
    for i = 1, 3000 do
       local s = torch.CharStorage(328):fill(65)
       s[328] = 0
       local f = torch.MemoryFile(s, 'r'):quiet():binary()
       f:seek(41 + i % 280)
       s:resize(2)
       read = read + f:readChar(10):size()
    end
    return read"""
    assert value(read) == 0


def test_steps_of_unfold_stay_finite(value: Value) -> None:
    twice = "torch.ByteTensor(4):fill(7):unfold(1, 4, 1e300):unfold(1, 1, 1e300)"
    assert value(f"return {twice}:select(1, 1):select(1, 1)") == [7]
