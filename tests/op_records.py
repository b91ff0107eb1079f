"""The expected results of the operations of the mathematics chapter: a record each, by NumPy and SciPy.

`low` and `high` bound the elements that are drawn (whole numbers for integer types), `numbers` are the
arguments that are no tensors, put where the form has them by `order` ('t' a tensor, 'n' the next number).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from tests.tied_order import places_along

Array = np.ndarray[Any, Any]

REAL = ("Double", "Float")
INTEGER = ("Long", "Int", "Short", "Char", "Byte")
ALL = REAL + INTEGER


@dataclass(frozen=True)
class Record:
    """One way to call one operation."""

    name: str
    reference: Callable[..., Any]
    order: str = "t"
    numbers: tuple[Any, ...] = ()
    types: tuple[str, ...] = ALL
    low: float = -9
    high: float = 9
    nonzero: bool = False
    in_place: bool = True
    tolerance: float = 2e-6

    def __str__(self) -> str:
        return f"{self.name}-{self.order}-{'-'.join(map(str, self.numbers))}"


def _truncated(f: Callable[..., Any]) -> Callable[..., Any]:
    """A division of C: towards zero for integers."""

    def divide(x: Array, y: Any) -> Array:
        if x.dtype.kind == "f":
            return f(x, y)
        wide, divisor = x.astype(np.int64), np.asarray(y).astype(np.int64)
        quotient = np.abs(wide) // np.abs(divisor) * np.sign(wide) * np.sign(divisor)
        return quotient.astype(x.dtype)

    return divide


def _round(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x).astype(np.float64) + 0.5), x)


def _shift_right(x: Array, y: Any) -> Array:
    if x.dtype.kind == "f":
        return x / np.exp2(y)
    unsigned = x.view(np.dtype(f"u{x.itemsize}")) if x.dtype.kind == "i" else x
    shifted: Array = unsigned >> np.asarray(y).astype(unsigned.dtype)
    return shifted.view(x.dtype)


def _shift_left(x: Array, y: Any) -> Array:
    if x.dtype.kind == "f":
        return x * np.exp2(y)
    return np.left_shift(x, np.asarray(y).astype(x.dtype))


def _add_quotient(x: Array, y: Array, w: Array, v: float) -> Array:
    return x + _truncated(np.divide)((y * np.asarray(v, x.dtype)).astype(x.dtype), w)


def _scaled(sign: int) -> Callable[..., Any]:
    return lambda x, y, v: x + np.asarray(v, x.dtype) * y if sign > 0 else x - np.asarray(v, x.dtype) * y


_divide = _truncated(np.divide)

UNARY = [
    Record("abs", np.abs, types=(*REAL, "Long", "Int")),
    Record("neg", np.negative, types=REAL),
    Record("cinv", np.reciprocal, types=REAL, low=0.2),
    Record("sqrt", np.sqrt, types=REAL, low=0),
    Record("rsqrt", lambda x: 1 / np.sqrt(x), types=REAL, low=0.1),
    Record("exp", np.exp, types=REAL),
    Record("log", np.log, types=REAL, low=0.01),
    Record("log1p", np.log1p, types=REAL, low=-0.9),
    Record("lgamma", np.vectorize(math.lgamma), types=REAL, low=0.1),
    Record("sigmoid", special.expit, types=REAL),
    Record("sin", np.sin, types=REAL),
    Record("cos", np.cos, types=REAL),
    Record("tan", np.tan, types=REAL, low=-1.4, high=1.4),
    Record("asin", np.arcsin, types=REAL, low=-1, high=1),
    Record("acos", np.arccos, types=REAL, low=-1, high=1),
    Record("atan", np.arctan, types=REAL),
    Record("sinh", np.sinh, types=REAL),
    Record("cosh", np.cosh, types=REAL),
    Record("tanh", np.tanh, types=REAL),
    Record("floor", np.floor, types=REAL),
    Record("ceil", np.ceil, types=REAL),
    Record("trunc", np.trunc, types=REAL),
    Record("frac", lambda x: x - np.trunc(x), types=REAL, tolerance=1e-5),
    Record("round", _round, types=REAL),
    Record("sign", np.sign),
]

BINARY = [
    Record("add", lambda x, v: x + v, "tn", (3,)),
    Record("add", lambda x, y: x + y, "tt"),
    Record("add", _scaled(1), "tnt", (3,)),
    Record("add", _scaled(1), "tnt", (-0.5,), types=REAL),
    Record("csub", lambda x, v: x - v, "tn", (2,)),
    Record("csub", lambda x, y: x - y, "tt"),
    Record("csub", _scaled(-1), "tnt", (2,)),
    Record("mul", lambda x, v: x * v, "tn", (5,)),
    Record("mul", lambda x, v: x * v, "tn", (-1.5,), types=REAL),
    Record("cmul", lambda x, y: x * y, "tt"),
    Record("div", _divide, "tn", (4,)),
    Record("cdiv", _divide, "tt", nonzero=True),
    Record("fmod", np.fmod, "tn", (4,)),
    Record("mod", np.fmod, "tn", (4,)),
    Record("remainder", np.remainder, "tn", (4,)),
    Record("cfmod", np.fmod, "tt", nonzero=True),
    Record("cmod", np.fmod, "tt", nonzero=True),
    Record("cremainder", np.remainder, "tt", nonzero=True, tolerance=2e-4),
    Record("cpow", lambda x, y: x**y, "tt", low=0.5, high=4, tolerance=2e-5),
    Record("cmax", np.maximum, "tt"),
    Record("cmax", np.maximum, "tn", (2,)),
    Record("cmin", np.minimum, "tt"),
    Record("cmin", np.minimum, "tn", (2,)),
    Record("clamp", np.clip, "tnn", (1, 4)),
    Record("pow", lambda x, v: x**v, "tn", (2,), types=REAL),
    Record("pow", lambda x, v: x**v, "tn", (3,), types=REAL, tolerance=1e-5),
    Record("pow", lambda x, v: x**v, "tn", (0.5,), types=REAL, low=0),
    Record("pow", lambda x, v: x**v, "tn", (-1,), types=REAL, low=0.1),
    Record("pow", lambda x, v: x**v, "tn", (-0.5,), types=REAL, low=0.1),
    Record("pow", lambda x, v: x**v, "tn", (-2,), types=REAL, low=0.1, tolerance=1e-5),
    Record("pow", lambda x, v: x**v, "tn", (1.7,), types=REAL, low=0.1, tolerance=1e-5),
    Record("pow", lambda x, v: np.asarray(v, x.dtype) ** x, "nt", (2.5,), types=REAL, tolerance=1e-5),
    Record("atan2", np.arctan2, "tt", types=REAL),
    Record(
        "lerp",
        lambda x, y, v: x + np.asarray(v, x.dtype) * (y - x),
        "ttn",
        (0.25,),
        types=REAL,
        tolerance=1e-5,
    ),
    Record("addcmul", lambda x, y, w: x + y * w, "ttt", tolerance=1e-5),
    Record("addcmul", lambda x, y, w, v: x + np.asarray(v, x.dtype) * y * w, "tntt", (3,), tolerance=1e-5),
    Record("addcdiv", _add_quotient, "tntt", (2,), low=1, high=9, nonzero=True, tolerance=1e-5),
    Record("lshift", _shift_left, "tn", (2,)),
    Record("rshift", _shift_right, "tn", (2,)),
    Record("clshift", _shift_left, "tt", low=0, high=6),
    Record("crshift", _shift_right, "tt", low=0, high=6),
    Record("bitand", np.bitwise_and, "tn", (6,), types=INTEGER),
    Record("bitor", np.bitwise_or, "tn", (6,), types=INTEGER),
    Record("bitxor", np.bitwise_xor, "tn", (6,), types=INTEGER),
    Record("cbitand", np.bitwise_and, "tt", types=INTEGER),
    Record("cbitor", np.bitwise_or, "tt", types=INTEGER),
    Record("cbitxor", np.bitwise_xor, "tt", types=INTEGER),
]

COMPARISONS = [
    Record(name, f, order, numbers, in_place=False, low=0, high=5)
    for name, f in [
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
        ("eq", np.equal),
        ("ne", np.not_equal),
    ]
    for order, numbers in [("tn", (2,)), ("tt", ())]
]


def _minmax(best: Callable[..., Any], where: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis: (best(x, axis=axis, keepdims=True), np.expand_dims(where(x, axis=axis), axis) + 1)


def _wrapping(f: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction in the type itself: wide for floating-point types, wrapping for integers."""

    def reduced(x: Array, axis: int) -> Array:
        wide = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(np.int64)
        result: Array = f(wide, axis=axis, keepdims=True)
        return result.astype(x.dtype)

    return reduced


def _running(f: Callable[..., Any]) -> Callable[..., Any]:
    def run(x: Array, axis: int) -> Array:
        wide = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(np.int64)
        result: Array = f(wide, axis=axis)
        return result.astype(x.dtype)

    return run


def _norm(x: Array, axis: int, p: float) -> Array:
    if p == 0:
        counts: Array = np.count_nonzero(x, axis=axis, keepdims=True).astype(x.dtype)
        return counts
    return (np.abs(x.astype(np.float64)) ** p).sum(axis=axis, keepdims=True) ** (1 / p)


def _ordered(descending: bool) -> Callable[..., Any]:
    def order(x: Array, axis: int) -> tuple[Array, Array]:
        places = places_along(x, axis, descending)
        return np.take_along_axis(x, places, axis), places + 1

    return order


def _kth(k: int) -> Callable[..., Any]:
    return lambda x, axis: np.take(np.sort(x, axis=axis), [k - 1], axis=axis)


def _median(x: Array, axis: int) -> Array:
    return np.take(np.sort(x, axis=axis), [(x.shape[axis] - 1) // 2], axis=axis)


def _mode(x: Array, axis: int) -> Array:
    def most(row: Array) -> Any:
        values, counts = np.unique(row, return_counts=True)
        return values[np.argmax(counts)]

    return np.expand_dims(np.apply_along_axis(most, axis, x), axis)


def _top(k: int, largest: bool) -> Callable[..., Any]:
    return lambda x, axis: np.take(_ordered(largest)(x, axis)[0], range(k), axis=axis)


# With a dimension ('d'); the reference gets an axis instead. Numbers come before it ('n') or after it ('m').
DIMENSIONS = [
    Record("sum", _wrapping(np.sum), "td"),
    Record("prod", _wrapping(np.prod), "td", low=-3, high=3, tolerance=1e-5),
    Record("mean", lambda x, axis: x.mean(axis=axis, keepdims=True), "td", types=REAL, tolerance=1e-5),
    Record("max", _minmax(np.max, np.argmax), "td"),
    Record("min", _minmax(np.min, np.argmin), "td"),
    Record("var", lambda x, axis: x.var(axis=axis, ddof=1, keepdims=True), "td", types=REAL, tolerance=1e-4),
    Record("std", lambda x, axis: x.std(axis=axis, ddof=1, keepdims=True), "td", types=REAL, tolerance=1e-4),
    Record(
        "var", lambda x, axis, _: x.var(axis=axis, keepdims=True), "tdm", (True,), types=REAL, tolerance=1e-4
    ),
    Record(
        "std", lambda x, axis, _: x.std(axis=axis, keepdims=True), "tdm", (True,), types=REAL, tolerance=1e-4
    ),
    *[Record("norm", _norm, "tnd", (p,), types=REAL, tolerance=1e-5) for p in (0, 1, 2, 3, 0.5)],
    Record("cumsum", _running(np.cumsum), "td", tolerance=1e-5),
    Record("cumprod", _running(np.cumprod), "td", low=-3, high=3, tolerance=1e-5),
    Record("sort", _ordered(False), "td"),
    Record("sort", lambda x, axis, _: _ordered(True)(x, axis), "tdm", (True,)),
    Record("kthvalue", lambda x, axis, k: _kth(k)(x, axis), "tnd", (2,)),
    Record("median", _median, "td"),
    Record("mode", _mode, "td", low=0, high=4),
    Record("topk", lambda x, axis, k, *_: _top(k, True)(x, axis), "tndmm", (2, True, True)),
    Record("topk", lambda x, axis, k, *_: _top(k, False)(x, axis), "tndmm", (1, False, True)),
]

# To one number.
TOTALS = [
    Record("sum", lambda x: x.sum(dtype=np.float64)),
    Record("prod", lambda x: x.prod(dtype=np.float64), low=1, high=2.5),
    Record("mean", lambda x: x.mean(dtype=np.float64), types=REAL),
    Record("max", np.max),
    Record("min", np.min),
    Record("var", lambda x: x.var(ddof=1, dtype=np.float64), types=REAL),
    Record("std", lambda x: x.std(ddof=1, dtype=np.float64), types=REAL),
    Record("norm", lambda x: np.sqrt((x.astype(np.float64) ** 2).sum()), types=REAL),
    Record("norm", lambda x, p: (np.abs(x.astype(np.float64)) ** p).sum() ** (1 / p), "tn", (3,), types=REAL),
    Record("dist", lambda x, y: np.sqrt(((x - y).astype(np.float64) ** 2).sum()), "tt", types=REAL),
    Record("dist", lambda x, y, p: np.abs(x - y).sum(dtype=np.float64), "ttn", (1,), types=REAL),
    Record("equal", lambda x, y: bool((x == y).all()), "tt"),
    Record("all", lambda x: bool(x.all()), types=("Byte",), low=0, high=2),
    Record("any", lambda x: bool(x.any()), types=("Byte",), low=0, high=1),
]
