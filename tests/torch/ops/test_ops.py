"""Every operation against NumPy: all its types, on all layouts, in all call forms."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from t7shell import Runtime
from tests.op_records import BINARY, COMPARISONS, DIMENSIONS, TOTALS, UNARY, Array, Record

DTYPES = {
    "Double": np.float64,
    "Float": np.float32,
    "Long": np.int64,
    "Int": np.int32,
    "Short": np.int16,
    "Char": np.int8,
    "Byte": np.uint8,
}
LAYOUTS = ("contiguous", "transposed", "narrowed", "expanded", "deep", "vector", "long")


@pytest.fixture(scope="module")
def call() -> Callable[..., Any]:
    """call(way, name, ...): way 'function', 'method' or 'result', whose type comes before the arguments."""
    found: Callable[..., Any] = Runtime().eval(
        """function(way, name, first, ...)
              if way == 'function' then return torch[name](first, ...) end
              if way == 'method' then return first[name](first, ...) end
              return torch[name](torch[first](), ...)
           end"""
    )
    return found


def draw(record: Record, dtype: Any, shape: tuple[int, ...], source: np.random.Generator) -> Array:
    low, high = record.low, record.high
    if np.dtype(dtype).kind == "f":
        values: Array = source.uniform(low, high, shape)
    else:
        if np.dtype(dtype).kind == "u" and low < 0:
            low = 0
        values = source.integers(int(np.ceil(low)), int(high), shape, endpoint=True)
    if record.nonzero:
        values[np.abs(values) < 0.5] = 3
    drawn: Array = values.astype(dtype)
    return drawn


def lay_out(record: Record, dtype: Any, layout: str, source: np.random.Generator) -> Array:
    """An array of 3 x 4 elements or so whose elements lie in memory as the layout says."""

    def drawn(*shape: int) -> Any:
        return draw(record, dtype, shape, source)

    makers: dict[str, Callable[[], Any]] = {
        "contiguous": lambda: drawn(3, 4),
        "transposed": lambda: drawn(4, 3).T,
        "narrowed": lambda: drawn(7, 9)[1:6:2, 2:6],
        "expanded": lambda: as_strided(drawn(4), (3, 4), (0, np.dtype(dtype).itemsize)),
        "deep": lambda: drawn(3, 2, 1, 2, 4).transpose(4, 1, 2, 0, 3),
        "vector": lambda: drawn(10, 3)[:, 1],
        "long": lambda: drawn(70, 50).T,
    }
    found: Array = makers[layout]()
    return found


def arguments(record: Record, tensors: list[Any], dimension: int | None = None) -> list[Any]:
    """Tensors, numbers and the dimension as the form of the record orders them."""
    left, numbers = list(tensors), list(record.numbers)
    found: list[Any] = []
    for letter in record.order:
        if letter == "t":
            found.append(left.pop(0))
        elif letter == "d":
            found.append(dimension)
        else:
            found.append(numbers.pop(0))
    return found


def check(got: Any, expected: Any, record: Record, what: str) -> None:
    expected = np.asarray(expected)
    assert np.shape(got) == expected.shape, what
    tolerance = record.tolerance if np.asarray(got).dtype != np.float64 else min(record.tolerance, 1e-10)
    if record.name in ("frac", "tan", "pow") or expected.dtype == np.float32:
        tolerance = record.tolerance
    found, wanted = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    # Most are equal, which is found out in a tenth of the time.
    if not np.array_equal(found, wanted):
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=what)


def cases(records: list[Record]) -> list[Any]:
    return [pytest.param(record, name, id=f"{record}-{name}") for record in records for name in record.types]


@pytest.fixture
def layouts(slow: bool, record: Record, name: str) -> Sequence[str]:
    """All layouts in the run of slow tests, and otherwise three, others for each operation and type."""
    first = zlib.crc32(f"{record} {name}".encode()) % len(LAYOUTS)
    return LAYOUTS if slow else [*LAYOUTS, *LAYOUTS][first : first + 3]


def operands(record: Record, name: str, layout: str) -> list[Array]:
    source = np.random.default_rng(zlib.crc32(f"{record} {name} {layout}".encode()))
    first = lay_out(record, DTYPES[name], layout, source)
    count = record.order.count("t")
    # Further operands are contiguous or of the same layout in turn.
    others = ["contiguous" if layout in ("transposed", "narrowed", "expanded") else layout, layout]
    return [first, *(lay_out(record, DTYPES[name], other, source) for other in others[: count - 1])]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("record", "name"), cases(UNARY + BINARY + COMPARISONS))
def test_element_by_element(
    call: Callable[..., Any], layouts: Sequence[str], record: Record, name: str
) -> None:
    for layout in layouts:
        tensors = operands(record, name, layout)
        copies = [tensor.copy() for tensor in tensors]
        with np.errstate(all="ignore"):
            expected = record.reference(*copies, *record.numbers)
        if record not in COMPARISONS:
            expected = np.asarray(expected).astype(DTYPES[name])
        given = arguments(record, tensors)
        check(call("function", record.name, *given), expected, record, f"{layout}, new")
        check(
            call("result", record.name, f"{name}Tensor", *given), expected, record, f"{layout}, into result"
        )
        for tensor, copy in zip(tensors, copies, strict=True):
            assert (tensor == copy).all(), f"{layout}: an operand was changed"
        if not record.in_place:
            check(call("method", record.name, *given), expected, record, f"{layout}, method")
        elif layout != "expanded" and record.order[0] == "t":
            check(call("method", record.name, *given), expected, record, f"{layout}, in place")
            check(tensors[0], expected, record, f"{layout}: the tensor itself")


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("record", "name"), cases(DIMENSIONS))
def test_along_dimensions(
    call: Callable[..., Any], layouts: Sequence[str], record: Record, name: str
) -> None:
    for layout in layouts:
        (tensor,) = operands(record, name, layout)
        copy = tensor.copy()
        for axis in range(tensor.ndim):
            if copy.shape[axis] < 2 and record.name in ("var", "std", "kthvalue", "topk"):
                continue
            with np.errstate(all="ignore"):
                expected = record.reference(copy, axis, *record.numbers)
            given = arguments(record, [tensor], axis + 1)
            for way, first in (("function", []), ("method", []), ("result", [f"{name}Tensor"])):
                got = call(way, record.name, *first, *given)
                what = f"{layout}, {way}, dimension {axis + 1}"
                if isinstance(expected, tuple):
                    for mine, theirs in zip(got, expected, strict=True):
                        check(mine, theirs, record, what)
                elif isinstance(got, tuple):
                    check(got[0], expected, record, what)
                    if expected.shape[axis] == 1:
                        check(
                            np.take_along_axis(copy, got[1] - 1, axis), expected, record, what + ", positions"
                        )
                else:
                    check(got, expected, record, what)
        assert (tensor == copy).all(), f"{layout}: the operand was changed"


@pytest.mark.parametrize(("record", "name"), cases(TOTALS))
def test_totals(call: Callable[..., Any], record: Record, name: str) -> None:
    for layout in LAYOUTS[:6]:
        tensors = operands(record, name, layout)
        expected = record.reference(*(tensor.copy() for tensor in tensors), *record.numbers)
        given = arguments(record, tensors)
        for way in ("function", "method"):
            got = call(way, record.name, *given)
            if isinstance(expected, bool):
                assert got is expected, f"{layout}, {way}"
            else:
                np.testing.assert_allclose(got, expected, rtol=1e-5, err_msg=f"{layout}, {way}")


@pytest.mark.parametrize("name", ["Double", "Float"])
def test_functions_of_numbers(name: str) -> None:
    runtime = Runtime()
    runtime.execute(f"torch.setdefaulttensortype('torch.{name}Tensor')")
    source = np.random.default_rng(1)
    for record in UNARY:
        if name in record.types:
            x = draw(record, DTYPES[name], (1,), source)
            got = runtime.eval(f"torch.{record.name}")(float(x[0]))
            np.testing.assert_allclose(got, record.reference(x)[0], rtol=1e-5, err_msg=record.name)


def test_empty_tensors() -> None:
    runtime = Runtime()
    for record in chain(UNARY, BINARY, COMPARISONS):
        for name in record.types:
            tensors = [f"torch.{name}Tensor()"] * record.order.count("t")
            given = ", ".join(str(item) for item in arguments(record, tensors))
            assert runtime.eval(f"torch.{record.name}({given}):dim()") == 0, record
