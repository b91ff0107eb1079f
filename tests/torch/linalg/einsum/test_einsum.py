"""torch.einsum beside numpy.einsum."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime
from t7shell.host import blas_threads
from tests.runtimes import runtime_fixture

DTYPES = ["float64", "float32", "int64", "int32", "int16", "int8", "uint8", "float16"]
ROUNDS = int(os.environ.get("T7_PROPERTY", "300"))


runtime = runtime_fixture()


@pytest.fixture(scope="module")
def einsum(runtime: Runtime) -> Callable[..., Any]:
    return runtime.eval("torch.einsum")


def _operand(choose: random.Random, shape: list[int], dtype: str) -> np.ndarray:
    """Small whole numbers, of which all sums are exact, in any layout: permuted, with steps, at an offset."""
    order = choose.sample(range(len(shape)), len(shape))
    steps = [choose.choice([1, 1, 2]) for _ in shape]
    whole = [size * step + 1 for size, step in zip(shape, steps, strict=True)]
    values = [choose.choice([0, 1] if dtype == "uint8" else [-1, 0, 1]) for _ in range(int(np.prod(whole)))]
    base = np.array(values, dtype).reshape([whole[d] for d in order]).transpose(np.argsort(order))
    return base[tuple(slice(1, size * step + 1, step) for size, step in zip(shape, steps, strict=True))]


def _equation(choose: random.Random, dtype: str) -> tuple[str, list[np.ndarray]]:
    letters = "abcAZd"
    sizes = {letter: choose.choice([1, 2, 3]) for letter in letters}
    rest = [choose.choice([1, 2, 3]) for _ in range(choose.randrange(3))]
    terms, arrays, dots = [], [], False
    for _ in range(choose.choice([1, 1, 2, 2, 2, 3, 4, 5])):
        own = choose.choices(letters, k=choose.randrange(1, 5))
        shape = [sizes[letter] for letter in own]
        for d, letter in enumerate(own):
            if own.count(letter) == 1 and choose.random() < 0.1:
                shape[d] = 1
        term = "".join(own)
        if choose.random() < 0.3:
            at, own_rest = choose.randrange(len(own) + 1), rest[choose.randrange(len(rest) + 1) :]
            own_rest = [choose.choice([1, n]) for n in own_rest]
            shape[at:at] = own_rest
            term, dots = term[:at] + "..." + term[at:], True
        terms.append(term)
        arrays.append(_operand(choose, shape, dtype))
    text = choose.choice([",", " , "]).join(terms)
    if choose.random() < 0.7:
        known = sorted(set("".join(terms)) - {"."})
        output = choose.sample(known, choose.randrange(len(known) + 1))
        if dots:
            output.insert(choose.randrange(len(output) + 1), "...")
        text += "->" + "".join(output)
    return text, arrays


def _check(einsum: Callable[..., Any], text: str, arrays: list[np.ndarray]) -> None:
    expected = np.einsum(text, *arrays)
    found = einsum(text, *arrays)
    message = f"{text} {[array.shape for array in arrays]} {arrays[0].dtype}"
    assert np.shape(found) == expected.shape, message
    if expected.shape:
        assert found.dtype == expected.dtype, message
    assert np.array_equal(found, expected), message


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_equations(einsum: Callable[..., Any], dtype: str) -> None:
    choose = random.Random(f"{dtype} {os.environ.get('T7_PROPERTY_SEED', '1')}")
    for _ in range(ROUNDS // 5):
        _check(einsum, *_equation(choose, dtype))


LARGE = [
    ("ij,jk->ik", (60, 70), (70, 50)),
    ("ij,kj->ki", (60, 70), (50, 70)),
    ("bij,bjk->bik", (5, 20, 30), (5, 30, 25)),
    ("bij,bjk->ibk", (5, 20, 30), (5, 30, 25)),
    ("bhid,bhjd->bhij", (2, 3, 40, 16), (2, 3, 50, 16)),
    ("bihd,bjhd->bhij", (2, 40, 3, 16), (2, 50, 3, 16)),
    ("bi,bi->b", (40, 300), (40, 300)),
    ("kb,kb->b", (300, 40), (300, 40)),
    ("bij,bj->bi", (9, 30, 40), (9, 40)),
    ("i,ji->j", (500,), (30, 500)),
    ("ijkl,jk->il", (12, 9, 8, 11), (9, 8)),
    ("ijkl,ml->mijk", (12, 9, 8, 11), (20, 11)),
    ("ij,kl->ikjl", (12, 13), (14, 15)),
    ("ijk,il->jl", (20, 30, 4), (20, 40)),
    ("ij,jk,kl,lm->im", (30, 20), (20, 40), (40, 10), (10, 25)),
    ("ai,bi,ci,di->abcd", (5, 30), (6, 30), (7, 30), (4, 30)),
    ("...chw,c->...hw", (7, 3, 20, 21), (3,)),
    ("i,i->", (5000,), (5000,)),
    ("ij,ji->", (40, 70), (70, 40)),
    ("ij,ji->", (90, 3), (3, 90)),
    ("ij,ji->", (20, 30), (30, 20)),
    ("ijk,kij->", (8, 9, 40), (40, 8, 9)),
    ("ijk,kji->", (8, 9, 40), (40, 9, 8)),
    ("ijklmn,nmjx->iklx", (4, 5, 4, 3, 6, 5), (5, 6, 5, 7)),
    ("bi,bj->bij", (12, 20), (12, 30)),
    ("bi,bj->jbi", (12, 20), (12, 30)),
    ("ijk->k", (30, 20, 10)),
    ("ijk->ki", (30, 20, 10)),
    ("ijk->", (30, 20, 10)),
]


@pytest.mark.parametrize("case", LARGE, ids=lambda case: case[0])
@pytest.mark.parametrize(("dtype", "precision"), [("float64", 1e-12), ("float32", 1e-4), ("int32", 0)])
def test_large_operands(
    einsum: Callable[..., Any], case: tuple[Any, ...], dtype: str, precision: float
) -> None:
    rng = np.random.default_rng(3)
    arrays = [(rng.standard_normal(shape) * (1 if precision else 100)).astype(dtype) for shape in case[1:]]
    expected = np.einsum(case[0], *arrays, optimize=True)
    scale = np.einsum(case[0], *map(np.abs, arrays), optimize=True)
    found = einsum(case[0], *arrays)
    assert np.shape(found) == expected.shape
    assert np.all(np.abs(found - expected) <= precision * scale)


def test_all_products_of_matrices_that_are_parts_of_others(einsum: Callable[..., Any]) -> None:
    x, y = np.arange(90 * 80.0).reshape(90, 80)[5:, :70], np.arange(85 * 75.0).reshape(85, 75)[:, 5:]
    assert einsum("ij,ij->", x, y) == einsum("ij,ji->", x, y.T) == (x * y).sum()


def test_long_sums_of_floats_are_precise(einsum: Callable[..., Any]) -> None:
    """One accumulator of 24 bits would stop at 2^24."""
    x = np.zeros((20_000_000, 2), np.float32)[:, 0]
    x += 1
    assert einsum("i->", x) == 20_000_000


def test_integers_whose_sums_are_not_exact_in_float64(einsum: Callable[..., Any]) -> None:
    x = np.full((3, 3), 2**40 + 1)
    with np.errstate(over="ignore"):
        assert np.array_equal(einsum("ij,jk->ik", x, x), x @ x)


def test_products_of_numpy_keep_their_threads(einsum: Callable[..., Any]) -> None:
    before = [count() for _, count in blas_threads._numpy_blas()]
    x = np.ones((40, 40))
    assert einsum("ij,jk->ik", x, x)[0, 0] == 40
    assert [count() for _, count in blas_threads._numpy_blas()] == before


def test_forms(lua: Callable[[str], str]) -> None:
    head = "local m, v = torch.Tensor{{1, 2}, {3, 4}}, torch.Tensor{1, 10} local r = torch.Tensor() "
    assert lua(head + "print(torch.einsum('ij,j', {m, v}):sum())") == "64\n"
    assert lua(head + "print(rawequal(torch.einsum(r, 'ij,j->i', m, v), r), r[1], r[2])") == "true\t21\t43\n"
    assert lua(head + "print(torch.einsum(r, 'ii', m):size(1), r[1])") == "1\t5\n"
    assert lua(head + "print(torch.einsum('ij,', m, 3):sum(), torch.einsum(',ij', 3, m:int()):type())") == (
        "30\ttorch.IntTensor\n"
    )
    assert lua(head + "print(torch.einsum(m, 'ij,jk', m, m) == m, m[1][1], m[2][2])") == "true\t7\t22\n"
    assert lua("local f = torch.FloatTensor{2} print(torch.einsum('i,i', {f, f}))") == "4\n"


def test_random_equations_into_results_that_are_given(runtime: Runtime) -> None:
    """Results of the right sizes in any layout, and of others."""
    into = runtime.eval("function(r, ...) torch.einsum(r, ...) return r end")
    other = runtime.eval("function(...) return torch.einsum(torch.ones(3), ...) end")
    choose = random.Random(5)
    for _ in range(ROUNDS // 5):
        text, arrays = _equation(choose, "float64")
        expected = np.atleast_1d(np.einsum(text, *arrays))
        right = _operand(choose, list(expected.shape), "float64")
        assert np.array_equal(into(right, text, *arrays), expected) and np.array_equal(right, expected)
        assert np.array_equal(other(text, *arrays), expected)


def test_one_operand_without_sums_is_a_view(lua: Callable[[str], str]) -> None:
    assert lua(
        "local m = torch.zeros(3, 3) torch.einsum('ii->i', m):fill(1) torch.einsum('ij->ji', m)[1][2] = 5"
        " print(m:sum(), m[2][1])"
    ) == "8\t5\n"
    assert lua(
        "local m = torch.ones(3, 4) local r = torch.einsum('ij,j->ij', m, torch.ones(4)) r:fill(0)"
        " print(m:sum(), r:isContiguous(), torch.einsum('ijk->kj', torch.ones(2, 3, 4)):isContiguous())"
    ) == "12\ttrue\ttrue\n"


def test_tensors_without_elements(lua: Callable[[str], str]) -> None:
    assert lua("local e = torch.Tensor() print(torch.einsum('i,i', e, e))") == "0\n"
    assert lua("local e = torch.Tensor() print(torch.einsum('i,j->ij', e, torch.ones(2)):dim())") == "0\n"
    assert lua("local e = torch.Tensor() print(torch.einsum('i,j->j', e, torch.ones(2)):sum())") == "0\n"
    assert lua("local e = torch.HalfTensor() print(torch.einsum('i', e):dim())") == "0\n"


def test_letters_that_only_dots_stand_for_are_summed_where_the_output_has_none(
    lua: Callable[[str], str],
) -> None:
    assert lua("print(torch.einsum('...i->i', torch.ones(2, 3, 4)):sum())") == "24\n"


ERRORS = {
    "'ij,jk', m, torch.ones(3, 2)":
        "letter 'j' must have one size (got 2 in operand 1 [2x2] and 3 in operand 2 [3x2])",
    "'ii', torch.ones(2, 1)": "letter 'i' must have one size (got 2 and 1 in operand 1 [2x1])",
    "'...,...', torch.ones(2), torch.ones(3)": "dimension 1 from the end of '...' must have one size (got 2",
    "'ij,jk', m": "'ij,jk' must have 2 operands (got 1)",
    "'i', m": "operand 1 must be a tensor of 1 dimension for 'i' (got DoubleTensor [2x2])",
    "'i...jk', m":
        "operand 1 must be a tensor of at least 3 dimensions for 'i...jk' (got DoubleTensor [2x2])",
    "'ij->ik', m": "letter 'k' of the output must stand in an operand (got 'ij->ik')",
    "'ij->ii', m": "letter 'i' must stand once in the output (got 'ij->ii')",
    "'ij,jk', m, m:float()": "operand 2 must be a torch.DoubleTensor (got FloatTensor [2x2])",
    "'ij,jk', {m, 'x'}": "operand 2 must be a torch.DoubleTensor (got 'x')",
    "'i_j', m": "the equation must be of letters, at most one '...', ',' and '->' (got 'i_j')",
    "'i.j', m": "(got 'i.j')",
    "'i..j...', m": "(got 'i..j...')",
    "'ij->i->j', m": "(got 'i->j')",
    "'i,j', 5, m": "operand 1 must be a tensor of 1 dimension for 'i' (got 5)",
    "'i'": "there must be operands after the equation (got none)",
    "'i', nil": "operand 1 must be a torch.DoubleTensor (got nil)",
    "m, m": "the equation must be a string (got DoubleTensor [2x2])",
    "5": "the equation must be a string (got 5)",
    "": "the equation must be a string (got nil)",
}


@pytest.mark.parametrize("arguments", ERRORS)
def test_errors(runtime: Runtime, arguments: str) -> None:
    with pytest.raises(LuaError) as raised:
        runtime.execute(f"m = torch.ones(2, 2) torch.einsum({arguments})")
    assert f"einsum: {ERRORS[arguments]}" in str(raised.value) or (
        ERRORS[arguments].startswith("(got") and str(raised.value).endswith(ERRORS[arguments])
    )
