"""Broadcasting: random operations, shapes, element types, layouts and forms of call against NumPy.

T7_PROPERTY sets the number of cases; a failing one is repeated by its seed alone, T7_PROPERTY_SEED.
"""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from t7shell import Runtime

CASES = int(os.environ.get("T7_PROPERTY", "750"))
FIRST_SEED = int(os.environ.get("T7_PROPERTY_SEED", "1"))

Array = np.ndarray[Any, Any]

TYPES = {
    "Double": "float64",
    "Float": "float32",
    "Half": "float16",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
}
REAL, INTEGER = ["Double", "Float"], ["Long", "Int", "Short", "Char", "Byte"]

# Copies of what Python gives, in separate memory and in a layout.
HELPERS = """
local function strided(x, layout)
   local t = x:clone()
   if t:dim() == 0 or layout == 'plain' then return t end
   if layout == 'stepped' then
      local sizes = t:size():totable()
      sizes[#sizes + 1] = 2
      return t.new():resize(torch.LongStorage(sizes)):zero():select(#sizes, 1):copy(t)
   end
   for d = 1, math.floor(t:dim() / 2) do t = t:transpose(d, t:dim() + 1 - d) end
   t = t:clone()
   for d = 1, math.floor(t:dim() / 2) do t = t:transpose(d, t:dim() + 1 - d) end
   return t
end

local forms = {
   new = function(f, r, x, ...) return torch[f](x, ...) end,
   given = function(f, r, x, ...) return torch[f](r, x, ...) end,
   mask = function(f, r, x, ...) return x[f](r, x, ...) end,
   method = function(f, r, x, ...) return r[f](r, x, ...) end,
   in_place = function(f, r, x, ...) return x[f](x, ...) end,
   into_first = function(f, r, x, ...) return torch[f](x, x, ...) end,
   into_second = function(f, r, x, a, ...)
      return torch[f](torch.isTensor(a) and a or (...), x, a, ...)
   end,
}

-- The result, and the operands after the call; an error and the operands.
function call(form, f, layouts, r, ...)
   local list, given = {}, { ... }
   local tensors = {}
   for i = 1, select('#', ...) do
      list[i] = given[i]
      if torch.isTensor(given[i]) then
         list[i] = strided(given[i], layouts[#tensors + 1])
         tensors[#tensors + 1] = list[i]
      end
   end
   local fine, result = pcall(forms[form], f, r and strided(r, layouts[1]), unpack(list))
   return fine, result, unpack(tensors)
end
"""


class Operation(NamedTuple):
    expected: Callable[..., Array]
    tensors: int = 2
    scale: bool = False  # a number may stand before the second tensor
    weight: bool = False  # a number stands behind the tensors
    types: Sequence[str] = tuple(TYPES)
    compares: bool = False


def quotient(x: Array, y: Array) -> Array:
    return x // y if x.dtype.kind in "iu" else x / y  # the operands are positive


OPERATIONS = {
    "add": Operation(lambda x, y, v=1: x + v * y, scale=True),
    "csub": Operation(lambda x, y, v=1: x - v * y, scale=True),
    "cmul": Operation(operator.mul),
    "cdiv": Operation(quotient),
    "cremainder": Operation(operator.mod),
    "cfmod": Operation(np.fmod),
    "cmod": Operation(np.fmod),
    "cpow": Operation(operator.pow, types=[*REAL, "Long", "Int"]),
    "addcmul": Operation(lambda x, y, w, v=1: x + v * y * w, tensors=3, scale=True),
    "addcdiv": Operation(lambda x, y, w, v=1: x + quotient(v * y, w), tensors=3, scale=True),
    "cmax": Operation(np.maximum),
    "cmin": Operation(np.minimum),
    "cbitand": Operation(operator.and_, types=INTEGER),
    "cbitor": Operation(operator.or_, types=INTEGER),
    "cbitxor": Operation(operator.xor, types=INTEGER),
    "clshift": Operation(operator.lshift, types=INTEGER),
    "crshift": Operation(operator.rshift, types=INTEGER),
    "atan2": Operation(np.arctan2, types=REAL),
    "lerp": Operation(lambda x, y, v: x + v * (y - x), weight=True, types=REAL),
    "lt": Operation(operator.lt, compares=True),
    "le": Operation(operator.le, compares=True),
    "gt": Operation(operator.gt, compares=True),
    "ge": Operation(operator.ge, compares=True),
    "eq": Operation(operator.eq, compares=True),
    "ne": Operation(operator.ne, compares=True),
}


@pytest.fixture(scope="module")
def call() -> Callable[..., Any]:
    lua = Runtime(dialect="modern")
    lua.execute(HELPERS)
    return lua.eval("call")


def random_shapes(rng: random.Random, count: int) -> list[tuple[int, ...]]:
    """Shapes that mostly fit; now and then one is empty, or does not."""
    dim = rng.choice([1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 9])
    full = [rng.choice([1, 2, 3]) if dim > 2 else rng.choice([1, 2, 3, 4, 5, 70]) for _ in range(dim)]
    if dim in (3, 4) and rng.random() < 0.5:
        full[rng.randrange(dim)] = 70  # walked by its columns
    shapes = []
    for _ in range(count):
        shape = [1 if rng.random() < 0.3 else size for size in full]
        shape = shape[rng.choice([0, 0, rng.randrange(dim)]) :]
        if rng.random() < 0.08:
            shape[rng.randrange(len(shape))] += 1
        shapes.append((0,) if rng.random() < 0.04 else tuple(shape))
    return shapes


def random_array(rng: random.Random, dtype: str, shape: tuple[int, ...]) -> Array:
    return np.array([rng.randint(1, 4) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)


def text_of(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def same(got: Any, expected: Array, dtype: str) -> None:
    if expected.size == 0:
        assert got.size == 0
        return
    assert got.shape == expected.shape
    tolerance = 2e-3 if dtype == "float16" else 1e-6
    np.testing.assert_allclose(got, expected.astype(got.dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("first", range(FIRST_SEED, FIRST_SEED + CASES, 250))
def test_operations(call: Callable[..., Any], first: int) -> None:
    for seed in range(first, min(first + 250, FIRST_SEED + CASES)):
        check(call, random.Random(seed), f"T7_PROPERTY=1 T7_PROPERTY_SEED={seed}")


def check(call: Callable[..., Any], rng: random.Random, note: str) -> None:
    name = rng.choice(list(OPERATIONS))
    operation = OPERATIONS[name]
    kind = rng.choice(operation.types)
    dtype = TYPES[kind]
    shapes = random_shapes(rng, operation.tensors)
    arrays = [random_array(rng, dtype, shape) for shape in shapes]
    forms = ["new", "given", "method", "into_first", "into_second"]
    form = rng.choice([*forms, *(["mask"] if operation.compares else ["in_place", "in_place"])])
    number = 2 if operation.scale and rng.random() < 0.3 else None
    arguments: list[Any] = list(arrays)
    if number:
        arguments.insert(1, number)
    if operation.weight:
        number = 0.5
        arguments.append(number)
    given = None
    if form in ("given", "method", "mask"):
        given = np.zeros(rng.choice([(0,), (2,), (2, 3), shapes[0]]), "uint8" if form == "mask" else dtype)
    layouts = [rng.choice(["plain", "plain", "reversed", "stepped"]) for _ in arrays]
    note = f"{note}: {name} of {kind}, {form}, {shapes}, {number}, {layouts}"
    fine, result, *after = call(form, name, layouts, given, *arguments)
    try:
        full = np.broadcast_shapes(*shapes)
    except ValueError:
        assert not fine, note
        message = str(result)
        assert f"{name}: shapes " in message and "do not broadcast: dimension" in message, note
        assert all(text_of(shape) in message for shape in shapes), note
        unchanged(after, arrays, note)
        return
    both_empty = 0 in full and shapes[0] == (0,)  # tensors without elements have no sizes that could differ
    if form == "in_place" and full != shapes[0] and not both_empty:
        assert not fine, note
        assert f"{name}: shape {text_of(shapes[0])} cannot take a result of shape {text_of(full)}: " in str(
            result
        )
        unchanged(after, arrays, note)
        return
    assert fine, (note, result)
    wide = [array.astype("float32" if kind == "Half" else dtype) for array in arrays]
    with np.errstate(all="ignore"):
        expected = operation.expected(*wide, *([np.array(number).astype(wide[0].dtype)] if number else []))
    try:
        same(result, np.asarray(expected), dtype)
        written = {"in_place": 0, "into_first": 0, "into_second": 1}.get(form)
        for i, (array, left) in enumerate(zip(arrays, after, strict=True)):
            same(left, np.asarray(expected) if i == written else array, dtype)
    except AssertionError as reason:
        raise AssertionError(f"{note}\n{reason}") from None


def unchanged(after: list[Any], arrays: list[Array], note: str) -> None:
    for left, array in zip(after, arrays, strict=True):
        assert left.size == array.size and (array.size == 0 or left.shape == array.shape), note
        assert np.array_equal(left.ravel(), array.ravel()), note
