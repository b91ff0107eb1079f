"""Products and factorisations: NumPy and SciPy are the second source."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from t7shell import Runtime, native
from tests.numbers import arrays, literal

Lua = Callable[[str], str]
Array = np.ndarray[Any, Any]

# Ways to lay out a matrix `m`: Lua code that gives a view with its elements.
LAYOUTS = {
    "plain": "{m}",
    "transposed": "{m}:t():contiguous():t()",
    "narrow": "torch.cat({m}, {m}, 2):narrow(2, 1, {m}:size(2))",
    "every second": "torch.cat({m}:view({m}:size(1), -1, 1), {m}:view({m}:size(1), -1, 1), 3):select(3, 2)",
}
KINDS = ["Double", "Float", "Byte", "Short", "Int", "Long"]


def matrix(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).integers(-5, 6, shape).astype(float)


def strided(layout: str, name: str) -> str:
    return LAYOUTS[layout].replace("{m}", name)


@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
def test_mm_reads_any_layout(lua: Lua, first: str, second: str) -> None:
    a, b = matrix(1, 4, 3), matrix(2, 3, 5)
    source = f"local a, b = {literal(a)}, {literal(b)}"
    source += f" local c = torch.mm({strided(first, 'a')}, {strided(second, 'b')})"
    (c,) = arrays(lua, source, "c")
    assert np.array_equal(c, a @ b)


@pytest.mark.parametrize("result", LAYOUTS)
def test_mm_writes_any_layout(lua: Lua, result: str) -> None:
    a, b = matrix(1, 4, 3), matrix(2, 3, 5)
    source = f"local c = torch.Tensor(4, 5):fill(0/0) c = {strided(result, 'c')}"
    source += f" c:mm({literal(a)}, {literal(b)})"
    (c,) = arrays(lua, source, "c")
    assert np.array_equal(c, a @ b)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", ["Double", "Float", "Int"])
def test_mv_and_ger_with_any_layout(lua: Lua, layout: str, kind: str) -> None:
    m, x, y = matrix(3, 4, 6), matrix(4, 6), matrix(5, 4)
    source = f"""
    local m, x, y = {literal(m, kind)}, {literal(x, kind)}, {literal(y, kind)}
    local v = {strided(layout, "m")}
    local strided = torch.{kind}Tensor(6, 3):select(2, 2):copy(x)
    local p, q = torch.mv(v, strided), torch.{kind}Tensor(4, 2):select(2, 1):fill(7)
    q:addmv(2, 3, v, strided)
    local r = {strided(layout, "m")}:clone()
    r:addr(2, -1, y, strided)
    local o = torch.ger(y, strided)
    """
    p, q, r, o = arrays(lua, source, "p", "q", "r", "o")
    assert np.array_equal(p, m @ x)
    assert np.array_equal(q, 2 * 7 + 3 * (m @ x))
    assert np.array_equal(r, 2 * m - np.outer(y, x))
    assert np.array_equal(o, np.outer(y, x))


def test_expanded_vectors(lua: Lua) -> None:
    source = """
    local x = torch.Tensor{3}:expand(4)
    local m = torch.range(1, 12):view(3, 4)
    local a, b, c = torch.mv(m, x), torch.dot(x, x), torch.mm(m, torch.Tensor{2}:view(1, 1):expand(4, 2))
    """
    a, b, c = arrays(lua, source, "a", "b", "c")
    m = np.arange(1, 13.0).reshape(3, 4)
    assert np.array_equal(a, 3 * m.sum(1))
    assert b == 36
    assert np.array_equal(c, np.repeat(2 * m.sum(1, keepdims=True), 2, 1))


def test_results_that_are_operands(lua: Lua) -> None:
    a = matrix(6, 3, 3)
    source = f"""
    local a = {literal(a)}
    local x, y, z, v = a:clone(), a:clone(), a:clone(), a:clone()
    x:mm(x, x) y:addmm(2, 1, y:t(), y) z:addmm(a, z, z:t())
    local row = v:select(1, 2) row:mv(v, row)
    """
    x, y, z, row = arrays(lua, source, "x", "y", "z", "row")
    assert np.array_equal(x, a @ a)
    assert np.array_equal(y, 2 * a + a.T @ a)
    assert np.array_equal(z, a + a @ a.T)
    assert np.array_equal(row, a @ a[1])


@pytest.mark.parametrize("kind", KINDS)
def test_scales_in_all_forms(lua: Lua, kind: str) -> None:
    m, a, b = abs(matrix(7, 2, 2)), abs(matrix(8, 2, 3)), abs(matrix(9, 3, 2))
    source = f"""
    local m, a, b = {literal(m, kind)}, {literal(a, kind)}, {literal(b, kind)}
    local r = torch.{kind}Tensor()
    local list = {{
       torch.addmm(m, a, b), torch.addmm(2, m, a, b), torch.addmm(m, 3, a, b), torch.addmm(2, m, 3, a, b),
       m:clone():addmm(a, b), m:clone():addmm(3, a, b), m:clone():addmm(2, 3, a, b),
       torch.addmm(r, 2, m, 3, a, b), r:clone():addmm(2, m, 3, a, b), r:clone():addmm(m, 3, a, b),
    }}
    """
    results = arrays(lua, source, *[f"list[{i + 1}]" for i in range(10)])
    scales = [(1, 1), (2, 1), (1, 3), (2, 3), (1, 1), (1, 3), (2, 3), (2, 3), (2, 3), (1, 3)]
    for got, (beta, alpha) in zip(results, scales, strict=True):
        assert np.array_equal(got, beta * m + alpha * (a @ b))


@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("beta", [0, 1, -2])
def test_a_scale_of_0_leaves_vectors_and_matrices_unread(lua: Lua, kind: str, beta: int) -> None:
    """As in BLAS: the result is beta x, whose zeros keep their signs, although 0 * nan is nan."""
    source = f"""
    local x, nan = torch.{kind}Tensor{{{{-0.0, 3}}, {{5, -7}}, {{0, 1}}}}, 0 / 0
    local function new(...) return torch.{kind}Tensor(...):fill(nan) end
    local v = torch.addmv({beta}, x:select(2, 2), 0, new(3, 4), new(4))
    local w = torch.addmv({beta}, x:select(2, 1):clone(), 0, new(4, 3):t(), new(4))
    local r = torch.addr({beta}, x, 0, new(3), new(2))
    """
    v, w, r = arrays(lua, source, "v", "w", "r")
    x = np.array([[-0.0, 3], [5, -7], [0, 1]])
    wanted = beta * x if beta else 0 * np.abs(x)
    for got, expected in ((v, wanted[:, 1]), (w, wanted[:, 0]), (r, wanted)):
        assert np.array_equal(got, expected)
        assert np.array_equal(np.signbit(got), np.signbit(expected))


def test_integers_wrap_and_scales_are_whole(lua: Lua) -> None:
    source = """
    local b = torch.ByteTensor(2, 2):fill(200)
    local e = torch.eye(2):int()
    local p, q = torch.mm(b, b), torch.addmm(0.5, torch.IntTensor(2, 2):fill(9), 1.5, e, e)
    local l = torch.LongTensor(20, 30):fill(3037000499)
    local d, w = torch.LongTensor{2^40, 3}:dot(torch.LongTensor{2, 5}), torch.mm(l, l:t())
    print(p[1][1], q[1][1], q[1][2], d, string.format('%.0f', w[1][1]))
    local i = torch.IntTensor(40, 40):fill(100000)
    print(torch.mm(i, i)[7][9])
    """

    def wrapped(value: int, bits: int) -> int:
        return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)

    wide = float(wrapped(30 * 3037000499**2, 64))
    assert lua(source) == f"128\t1\t0\t{2**41 + 15}\t{wide:.0f}\n{wrapped(40 * 10**10, 32)}\n"


@pytest.mark.parametrize("kind", ["Double", "Float", "Byte", "Long"])
def test_large_products(lua: Lua, kind: str) -> None:
    source = f"""
    torch.manualSeed(1)
    local a, b = torch.{kind}Tensor(70, 90):random(3), torch.{kind}Tensor(90, 80):random(3)
    local c = torch.mm(a, b)
    """
    a, b, c = arrays(lua, source, "a", "b", "c")
    assert np.array_equal(c, a @ b % 256 if kind == "Byte" else a @ b)


def test_batches(lua: Lua) -> None:
    a, b, m, n = matrix(1, 3, 2, 4), matrix(2, 3, 4, 5), matrix(3, 3, 2, 5), matrix(4, 2, 5)
    source = f"""
    local a, b, m, n = {literal(a)}, {literal(b)}, {literal(m)}, {literal(n)}
    local p, q = torch.bmm(a, b), torch.Tensor(3, 2, 5):bmm(a:transpose(2, 3):contiguous():transpose(2, 3), b)
    local r, s = torch.baddbmm(2, m, 3, a, b), torch.addbmm(2, n, 3, a, b)
    local t = torch.Tensor(5, 2, 3):transpose(1, 3) t:bmm(a, b)
    """
    p, q, r, s, t = arrays(lua, source, "p", "q", "r", "s", "t")
    assert np.array_equal(p, a @ b)
    assert np.array_equal(q, a @ b)
    assert np.array_equal(r, 2 * m + 3 * (a @ b))
    assert np.array_equal(s, 2 * n + 3 * (a @ b).sum(0))
    assert np.array_equal(t, a @ b)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_few_rows_times_a_long_matrix_by_columns(lua: Lua, layout: str, threads: int) -> None:
    source = f"""
    local threads = torch.getnumthreads()
    torch.setnumthreads({threads})
    local a, b = torch.FloatTensor(7, 200):random(5), torch.FloatTensor(500, 200):random(5)
    local x = {strided(layout, "a")}
    local r = torch.FloatTensor(7, 500):fill(0 / 0):mm(x, b:t())
    local part = torch.FloatTensor(7, 600):zero():narrow(2, 51, 500)
    part:mm(x, b:t())
    torch.setnumthreads(threads)
    """
    a, b, r, part = arrays(lua, source, "a", "b", "r", "part")
    assert np.array_equal(r, a @ b.T) and np.array_equal(part, r)


# Sizes from which products are divided between the cores, some that cannot be halved evenly, and some for
# which an operand is turned.
@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "sizes",
    [(33, 65, 47), (90, 40, 7), (3, 500, 40), (200, 31, 150), (1, 40000, 2), (33, 128, 300), (129, 100, 64)],
)
@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_that_are_shared(lua: Lua, sizes: tuple[int, int, int], kind: str, layout: str) -> None:
    rows, inner, columns = sizes
    source = f"""
    torch.manualSeed(2)
    local T = torch.{kind}Tensor
    local a, b = T({rows}, {inner}):random(5), T({inner}, {columns}):random(5)
    local c = T({rows}, {columns}):random(9)
    local before = c:clone()
    local p, q = torch.mm({strided(layout, "a")}, b), torch.mm(a, {strided(layout, "b")})
    local r = {strided(layout, "c")}
    r:addmm(3, -2, a, b)
    local s = before:clone()
    s:addmm(3, -2, a, {strided(layout, "b")})
    """
    a, b, c, p, q, r, s = arrays(lua, source, "a", "b", "before", "p", "q", "r", "s")
    assert np.array_equal(p, a @ b) and np.array_equal(q, a @ b)
    assert np.array_equal(r, 3 * c - 2 * (a @ b)) and np.array_equal(s, r)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("sizes", [(301, 203), (9, 5000), (5000, 9), (40000, 1)])
@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_vectors_that_are_shared(lua: Lua, sizes: tuple[int, int], kind: str, layout: str) -> None:
    rows, columns = sizes
    source = f"""
    torch.manualSeed(3)
    local m = torch.{kind}Tensor({rows}, {columns}):random(5)
    local x, y = torch.{kind}Tensor({columns}):random(5), torch.{kind}Tensor({rows}, 2):random(5):select(2, 2)
    local p, q = torch.mv({strided(layout, "m")}, x), y:clone()
    local s = torch.{kind}Tensor({rows}, 3):fill(0/0):select(2, 1)
    s:mv({strided(layout, "m")}, x)
    q:addmv(2, -1, {strided(layout, "m")}, x)
    local g = torch.{kind}Tensor({rows}, {columns}):fill(0/0)
    g = {strided(layout, "g")}
    g:addr(0, 2, y, x)
    local before, h, o = m:clone(), {strided(layout, "m")}, torch.ger(y, x)
    h:addr(3, -1, y, x)
    """
    m, x, y, p, q, s, g, h, o = arrays(lua, source, "before", "x", "y", "p", "q", "s", "g", "h", "o")
    assert np.array_equal(p, m @ x) and np.array_equal(s, m @ x)
    assert np.array_equal(q, 2 * y - m @ x)
    assert np.array_equal(g, 2 * np.outer(y, x)) and np.array_equal(o, np.outer(y, x))
    assert np.array_equal(h, 3 * m - np.outer(y, x))


@pytest.mark.parametrize("size", [3, 40, 100, 300])
def test_outer_products_with_zeros(lua: Lua, size: int) -> None:
    source = f"""
    local x, y = torch.range(1, {size}):mul(-1), torch.range(0, {size - 1})
    local p, q = torch.ger(x, y), torch.ger(y, x)
    local r = torch.ones({size}, {size}):addr(0, 1, x, torch.Tensor({size}):fill(1/0))
    print(1 / p[1][1], 1 / q[1][1], r:max(), r:min())
    """
    # As when a product is added to 0: there is no -0.
    assert lua(source) == "inf\tinf\t-inf\t-inf\n"


@pytest.mark.parametrize("kind", ["Double", "Float", "Int"])
@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_batches_of_any_layout(lua: Lua, kind: str, count: int) -> None:
    source = f"""
    torch.manualSeed(4)
    local a, b = torch.{kind}Tensor({count}, 9, 8):random(5), torch.{kind}Tensor({count}, 8, 9):random(5)
    local m = torch.{kind}Tensor({count}, 9, 9):random(5)
    local p, q = torch.bmm(a, b), torch.bmm(b:transpose(2, 3), a:transpose(2, 3))
    local r = torch.bmm(a:narrow(1, 1, 1):expand({count}, 9, 8), b)
    local s = m:clone():transpose(2, 3)
    s:baddbmm(2, 3, b:transpose(2, 3), a:transpose(2, 3))
    local t = torch.{kind}Tensor({count}, 9, 9, 2):select(4, 1)
    t:bmm(a, b)
    local u = torch.{kind}Tensor(9, {count}, 9):transpose(1, 2)
    u:bmm(a, b)
    local first = m:narrow(1, 1, 1):expand({count}, 9, 9)
    local v, w = torch.bmm(m, first), torch.bmm(first, m)
    local sum = torch.{kind}Tensor(1, 9, 9):zero()
    sum:expand({count}, 9, 9):baddbmm(1, 1, a, b)
    """
    names = ["a", "b", "m", "p", "q", "r", "s", "t", "u", "v", "w", "sum"]
    a, b, m, p, q, r, s, t, u, v, w, total = arrays(lua, source, *names)
    assert np.array_equal(total, (a @ b).sum(0, keepdims=True))
    product = a @ b
    assert np.array_equal(p, product) and np.array_equal(t, product) and np.array_equal(u, product)
    assert np.array_equal(q, product.transpose(0, 2, 1))
    assert np.array_equal(r, a[:1] @ b)
    assert np.array_equal(s, 2 * m.transpose(0, 2, 1) + 3 * product.transpose(0, 2, 1))
    assert np.array_equal(v, m @ m[:1]) and np.array_equal(w, m[:1] @ m)


def test_results_are_not_resized(lua: Lua) -> None:
    source = """
    local e, m, v = torch.Tensor(), torch.ones(2, 2), torch.ones(2)
    print(pcall(torch.mm, e, m, m), pcall(torch.mv, e, m, v), pcall(torch.ger, e, v, v), e:dim())
    print(select(2, pcall(torch.mm, torch.ones(2, 3), torch.ones(4, 5))))
    """
    lines = lua(source).splitlines()
    assert lines[0].startswith("false\tmm: size mismatch") or lines[0].split("\t")[0] == "false"
    assert lines[0].endswith("\t0")
    assert "[2x3] times [4x5]" in lines[1]


SHAPES = [(4, 4), (6, 3), (3, 6), (1, 5), (60, 60)]


def general(seed: int, rows: int, columns: int) -> Array:
    return np.random.default_rng(seed).standard_normal((rows, columns))


@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_inverse_and_gesv(lua: Lua, kind: str, layout: str) -> None:
    a, b = general(1, 5, 5), general(2, 5, 2)
    source = f"""
    local a, b = {literal(a, kind)}, {literal(b, kind)}
    local v = {strided(layout, "a")}
    local i, x, lu = torch.inverse(v), torch.gesv({strided(layout, "b")}, v)
    local strides = torch.Tensor{{i:stride(2), x:stride(2), lu:stride(2)}}
    """
    i, x, lu, after, strides = arrays(lua, source, "i", "x", "lu", "a", "strides")
    tolerance = 1e-11 if kind == "Double" else 1e-4
    assert np.allclose(i, np.linalg.inv(a), rtol=tolerance, atol=tolerance)
    assert np.allclose(x, np.linalg.solve(a, b), rtol=tolerance, atol=tolerance)
    assert np.allclose(lu, scipy.linalg.lu_factor(a)[0], rtol=tolerance, atol=tolerance)
    assert np.allclose(after, a, rtol=1e-6)
    assert strides.tolist() == [5, 5, 5]


def test_given_results_are_column_by_column(lua: Lua) -> None:
    a = general(3, 4, 4)
    source = f"""
    local a, r, own = {literal(a)}, torch.zeros(4, 4), {literal(a)}
    local wide = torch.zeros(4, 9):narrow(2, 3, 4)
    torch.inverse(r, a) torch.inverse(own, own) torch.inverse(wide, a)
    print(r:stride(1), r:stride(2))
    """
    assert lua(source) == "1\t4\n"
    quiet = source.replace("print(r:stride(1), r:stride(2))", "")
    for result in arrays(lua, quiet, "r", "own", "wide"):
        assert np.allclose(result, np.linalg.inv(a))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("columns", ["S", "A"])
def test_svd(lua: Lua, shape: tuple[int, int], columns: str) -> None:
    a = general(4, *shape)
    u, s, v = arrays(lua, f"local u, s, v = torch.svd({literal(a)}, '{columns}')", "u", "s", "v")
    expected = scipy.linalg.svd(a, full_matrices=columns == "A", lapack_driver="gesvd")
    expected_u, expected_s, expected_vt = expected
    assert np.allclose(s, expected_s)
    k = min(shape)
    assert u.shape == expected_u.shape and v.shape == expected_vt.T.shape
    assert np.allclose(u[:, :k] * s @ v[:, :k].T, a)
    assert np.allclose(u.T @ u, np.eye(u.shape[1])) and np.allclose(v.T @ v, np.eye(v.shape[1]))
    assert np.allclose(u[:, :k], expected_u[:, :k])


@pytest.mark.parametrize("triangle", ["U", "L"])
def test_symeig(lua: Lua, triangle: str) -> None:
    a = general(5, 6, 6)
    symmetric = a + a.T
    # The other triangle must not be looked at.
    half = np.triu(symmetric) if triangle == "U" else np.tril(symmetric)
    source = f"local e, v = torch.symeig({literal(half)}, 'V', '{triangle}')"
    source += f" local only = torch.symeig({literal(symmetric)})"
    e, v, only = arrays(lua, source, "e", "v", "only")
    expected = np.linalg.eigvalsh(symmetric)
    assert np.allclose(e, expected) and np.allclose(only, expected)
    assert np.allclose(v * e @ v.T, symmetric)


@pytest.mark.parametrize("size", [63, 64, 101])
@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_larger_systems(lua: Lua, size: int, kind: str) -> None:
    a, b = general(16, size, size) + 9 * np.eye(size), general(17, size, 40)
    source = f"local a, b = {literal(a, kind)}, {literal(b, kind)}"
    source += " local i, x = torch.inverse(a), torch.gesv(b, a) local stride = i:stride(2)"
    i, x, stride = arrays(lua, source, "i", "x", "stride")
    tolerance = 1e-11 if kind == "Double" else 1e-3
    assert np.allclose(i @ a, np.eye(size), atol=tolerance) and np.allclose(a @ x, b, atol=tolerance * 10)
    assert stride == size


@pytest.mark.parametrize("size", [3, 40])
def test_what_is_not_a_number_in_factorisations(lua: Lua, size: int) -> None:
    source = f"""
    local a = torch.eye({size})
    a[2][3], a[3][2] = 0/0, 0/0
    print(select(2, pcall(torch.svd, a)))
    print(type(pcall(torch.symeig, a, 'V')))
    """
    first, second = lua(source).splitlines()
    assert "svd: argument 1 must hold finite numbers" in first
    assert second == "boolean"


def test_eig(lua: Lua) -> None:
    a = general(6, 5, 5)
    e, v = arrays(lua, f"local e, v = torch.eig({literal(a)}, 'V')", "e", "v")
    values = e[:, 0] + 1j * e[:, 1]
    assert np.allclose(np.sort_complex(values), np.sort_complex(np.linalg.eigvals(a)))
    column = 0
    while column < 5:
        if e[column, 1] == 0:
            vector = v[:, column].astype(complex)
            step = 1
        else:
            vector = v[:, column] + 1j * v[:, column + 1]
            step = 2
        assert np.allclose(a @ vector, values[column] * vector)
        column += step


@pytest.mark.parametrize("shape", SHAPES)
def test_qr_and_its_parts(lua: Lua, shape: tuple[int, int]) -> None:
    a, c = general(7, *shape), general(8, shape[0], 3)
    source = f"""
    local a, c = {literal(a)}, {literal(c)}
    local q, r = torch.qr(a)
    local h, tau = torch.geqrf(a)
    local k = tau:size(1)
    local full = torch.orgqr(h:narrow(2, 1, k), tau)
    local left, right = torch.ormqr(h, tau, c, 'L', 'T'), torch.ormqr(h, tau, c:t(), 'R', 'N')
    """
    q, r, full, left, right = arrays(lua, source, "q", "r", "full", "left", "right")
    expected_q, expected_r = scipy.linalg.qr(a, mode="economic")
    assert np.allclose(q, expected_q) and np.allclose(r, expected_r)
    assert np.allclose(full, expected_q)
    whole = scipy.linalg.qr(a)[0]
    assert np.allclose(left, whole.T @ c) and np.allclose(right, c.T @ whole)


@pytest.mark.parametrize("triangle", ["U", "L"])
def test_cholesky(lua: Lua, triangle: str) -> None:
    g, b = general(9, 5, 5), general(10, 5, 2)
    a = g @ g.T + np.eye(5)
    source = f"""
    local a, b, t = {literal(a)}, {literal(b)}, '{triangle}'
    local f = torch.potrf(a, t)
    local x, i = torch.potrs(b, f, t), torch.potri(f, t)
    local p, order = torch.pstrf(a, t)
    """
    f, x, i, p, order = arrays(lua, source, "f", "x", "i", "p", "order")
    lower = np.linalg.cholesky(a)
    assert np.allclose(f, lower.T if triangle == "U" else lower)
    assert np.allclose(x, np.linalg.solve(a, b)) and np.allclose(i, np.linalg.inv(a))
    pivoted = a[np.ix_(order.astype(int) - 1, order.astype(int) - 1)]
    assert np.allclose(p.T @ p if triangle == "U" else p @ p.T, pivoted)
    assert order[0] == np.argmax(np.diag(a)) + 1


@pytest.mark.parametrize("shape", [(6, 3), (3, 6), (4, 4)])
def test_gels(lua: Lua, shape: tuple[int, int]) -> None:
    a, b = general(11, *shape), general(12, shape[0], 2)
    source = f"local a, b = {literal(a)}, {literal(b)} local x = torch.gels(b, a) local r = torch.Tensor()"
    x, r = arrays(lua, source + " torch.gels(r, torch.Tensor(), b, a)", "x", "r")
    expected = np.linalg.lstsq(a, b, rcond=None)[0]
    assert np.allclose(x, expected) and np.allclose(r, expected)


@pytest.mark.parametrize("options", ["UNN", "UTN", "LNN", "LTN", "UNU", "LTU"])
def test_trtrs(lua: Lua, options: str) -> None:
    a, b = general(13, 4, 4) + 3 * np.eye(4), general(14, 4, 2)
    triangle, transposed, diagonal = options
    source = f"local x = torch.trtrs({literal(b)}, {literal(a)}, '{triangle}', '{transposed}', '{diagonal}')"
    (x,) = arrays(lua, source, "x")
    expected = scipy.linalg.solve_triangular(
        a, b, trans=transposed, lower=triangle == "L", unit_diagonal=diagonal == "U"
    )
    assert np.allclose(x, expected)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("torch.inverse(torch.ones(3, 3))", "inverse: the matrix is singular: pivot (2,2)"),
        ("torch.gesv(torch.ones(2, 1), torch.zeros(2, 2))", "gesv: the matrix is singular: pivot (1,1)"),
        ("torch.gesv(torch.ones(3, 1), torch.eye(2))", "2 rows, as the matrix has (got [3x1])"),
        ("torch.inverse(torch.ones(2, 3))", "must be a square matrix (got [2x3])"),
        ("torch.inverse(torch.Tensor())", "must be a matrix (got a 0D"),
        ("torch.potrf(torch.Tensor{{1, 2}, {2, 1}})", "leading minor of order 2"),
        ("torch.pstrf(torch.ones(3, 3))", "of rank 1 only"),
        ("torch.gels(torch.ones(3, 1), torch.Tensor{{1, 0}, {2, 0}, {3, 0}})", "full rank"),
        ("torch.eig(torch.Tensor(2, 2):fill(0/0))", "finite numbers"),
        ("torch.svd(torch.ones(2, 2), 'X')", "must be one of 'S A' (got 'X')"),
        ("torch.ormqr(torch.ones(3, 2), torch.ones(2), torch.ones(4, 4))", "cannot be applied to [4x4]"),
        ("torch.bmm(torch.ones(2, 3, 4), torch.ones(3, 4, 2))", "[2x3x4] times [3x4x2]"),
        ("torch.addmm(torch.ones(3, 3), torch.ones(2, 2), torch.ones(2, 2))", "size [3x3] for [2x2]"),
        ("torch.dot(torch.ones(2), torch.ones(3))", "[2] and [3]"),
    ],
)
def test_bad_arguments(lua: Lua, call: str, message: str) -> None:
    assert message in lua(f"print(select(2, pcall(function() return {call} end)))")


def test_threads(lua: Lua) -> None:
    source = """
    local before = torch.getnumthreads()
    torch.setnumthreads(1)
    local a = torch.ones(300, 300)
    local one, sum = torch.getnumthreads(), torch.mm(a, a):sum()
    torch.setnumthreads(before)
    print(one, torch.getnumthreads() == before, torch.getnumcores() >= 1, sum == torch.mm(a, a):sum())
    """
    assert lua(source) == "1\ttrue\ttrue\ttrue\n"


def test_products_do_not_import_the_whole_of_scipy() -> None:
    """It takes longer than anything else at the start of a program; who wants it gets it later."""
    source = """
import sys
from t7shell import Runtime
run = Runtime().execute
product = run("return (torch.ones(2, 3) * torch.ones(3, 2)):sum() + torch.inverse(torch.eye(2)):sum()")
before = "scipy.linalg" in sys.modules
import scipy.linalg
from scipy.linalg import cython_blas, cython_lapack
print(product, before, "dgemm" in cython_blas.__pyx_capi__, scipy.linalg.det([[2.0, 0.0], [0.0, 3.0]]))
print(cython_lapack is sys.modules["scipy.linalg.cython_lapack"])
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout == "14 False True 6.0\nTrue\n"


def test_results_that_are_the_operand_keep_its_strides(lua: Lua) -> None:
    """As in TH, which copies back into what was given; other results become those of columns."""
    source = """
    local a, b = torch.Tensor{{4, 2}, {2, 3}}, torch.Tensor{{4, 2}, {2, 3}}
    torch.potrf(a, a) print(a:stride(1), a:stride(2), a[1][2])
    torch.inverse(b, b) print(b:stride(1), b:stride(2), b[1][2])
    local all = torch.zeros(2, 2, 2)
    torch.eig(torch.Tensor(), all:select(2, 1), torch.Tensor{{2, 0}, {1, 2}}:t(), 'V')
    print(all[1][1][1], all[2][1][1], all[1][2][1])
    local x, left = torch.Tensor(), torch.Tensor()
    torch.gels(x, left, torch.ones(3, 1), torch.Tensor{{1, 1}, {1, 2}, {1, 3}})
    print(x:stride(1), x:stride(2), x:size(1))"""
    assert lua(source).splitlines() == ["2\t1\t1", "2\t1\t-0.25", "1\t0\t0", "1\t3\t2"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("'L'", ("L", "N", "N")),
        ("'T'", ("U", "T", "N")),
        ("'L', 'U'", ("L", "N", "U")),
        ("'N', 'U'", ("U", "N", "U")),
        ("'T', 'U'", ("U", "T", "U")),
        ("'U'", ("U", "N", "N")),
    ],
)
def test_options_that_are_left_out(given: str, meant: tuple[str, str, str]) -> None:
    a, b = np.array([[2.0, 1.0], [3.0, 4.0]]), np.array([[1.0], [2.0]])
    x = Runtime().execute(f"return function(b, a) return (torch.trtrs(b, a, {given})) end")(b, a)
    triangle, transposed, diagonal = meant
    expected = scipy.linalg.solve_triangular(
        a, b, lower=triangle == "L", trans=transposed, unit_diagonal=diagonal == "U"
    )
    assert np.allclose(x, expected)


def test_options_of_eigenvectors_and_reflectors() -> None:
    a = np.array([[2.0, 1.0], [5.0, 3.0]])
    e = Runtime().execute("return function(a) return (torch.symeig(a, 'L')) end")(a)
    assert np.allclose(e, np.linalg.eigvalsh(a, "L"))
    q = """
    local a = torch.Tensor{{1, 2}, {3, 4}}
    local m, tau = torch.geqrf(a)
    return torch.ormqr(m, tau, torch.eye(2), 'T'), torch.qr(a)
    """
    transposed, whole, _ = (np.array(t) for t in Runtime().execute(q))
    assert np.allclose(transposed, whole.T)


@pytest.mark.parametrize(
    ("product", "value"),
    [
        ("torch.ByteTensor{200, 100}:dot(torch.ByteTensor{200, 100})", 50000 % 256),
        ("torch.CharTensor{100} * torch.CharTensor{2}", 200 - 256),
        ("torch.ShortTensor{300, 300}:dot(torch.ShortTensor{300, 300})", 180000 - 3 * 65536),
        ("torch.IntTensor{2^30}:dot(torch.IntTensor{4})", 0),
        # Rows of a transposed tensor are separate runs: 100 * 100 + 3 * 200, 200 * 3 + 4 * 4.
        ("m:t():dot(m)", 10600 % 256 + 616 % 256),
        ("m:dot(m)", (10000 + 40000 + 9 + 16) % 256),
    ],
)
def test_dot_of_integers_wraps_as_they_do(lua: Lua, product: str, value: int) -> None:
    assert lua(f"m = torch.ByteTensor{{{{100, 200}}, {{3, 4}}}} print({product})") == f"{value}\n"


# What the original printed.
@pytest.mark.parametrize(
    ("kind", "factor", "expected"),
    [
        ("Byte", "1", "1572\t666\t484\t752\t360\t304\t924"),
        ("Char", "1", "-220\t-102\t228\t-272\t-152\t48\t-100"),
        ("Short", "50", "-5232\t8168\t-18800\t-47168\t-44128\t-6976\t-102544"),
        ("Int", "1e5", "3013087232\t1298606080\t2763722752\t-7880720384\t2014355456\t4056596480\t-375721984"),
    ],
)
def test_dot_of_views_of_integers_adds_runs(lua: Lua, kind: str, factor: str, expected: str) -> None:
    program = f"""
    local x = torch.range(1, 24):mul({factor}):view(2, 3, 4):type('torch.{kind}Tensor')
    local turned, first = x:transpose(1, 3), x:select(1, 2):t()
    print(turned:dot(turned), first:dot(first), x:transpose(1, 2):dot(x),
       x:narrow(3, 1, 2):dot(x:narrow(3, 2, 2)), x:narrow(2, 1, 2):dot(x:view(-1):narrow(1, 1, 16)),
       turned[1]:dot(turned[2]), x:narrow(2, 2, 2):dot(x:transpose(2, 3):narrow(3, 2, 2)))"""
    assert lua(program) == expected + "\n"


@pytest.mark.parametrize("kind", ["Double", "Float"])
@pytest.mark.parametrize("order", [63, 64, 65, 130])
def test_large_systems_are_solved_on_all_cores(kind: str, order: int) -> None:
    """Shared work gives the solution that NumPy finds, and the same bits for any number of threads."""
    rng = np.random.default_rng(order)
    a = rng.standard_normal((order, order)) + order * np.eye(order)
    b = rng.standard_normal((order, order + 7))
    call = Runtime().execute(
        f"return function(threads, a, b) torch.setnumthreads(threads) a, b = a:type('torch.{kind}Tensor'),"
        f" b:type('torch.{kind}Tensor') local x, lu = torch.gesv(b, a) return x, lu, torch.inverse(a) end"
    )
    x, lu, inverse = call(2, a, b)
    accuracy = {"rtol": 0, "atol": 1e-11 if kind == "Double" else 1e-4}
    assert np.allclose(x, np.linalg.solve(a, b), **accuracy)
    assert np.allclose(inverse, np.linalg.inv(a), **accuracy)
    assert np.allclose(lu, scipy.linalg.lu_factor(a)[0], **accuracy)
    for mine, other in zip((x, lu, inverse), call(1, a, b), strict=True):
        assert np.array_equal(mine, other)


@pytest.mark.parametrize("call", [
    "torch.Tensor():addmm(m, m, m)", "v:addmm(m, 2, m, m)", "v:addr(1, m, 5, v, v)", "m:addmv(v, m, v)",
    "torch.Tensor():addbmm(m, b, b)", "m:baddbmm(b, b, b)",
])  # fmt: skip
def test_a_result_that_is_self_has_the_dimensions_of_a_product(lua: Lua, call: str) -> None:
    # As in Torch7, where its sizes may differ, and where results of functions may be empty.
    values = "local m, v, b = torch.ones(2, 2), torch.ones(2), torch.ones(1, 2, 2)"
    printed = lua(f"{values} print(pcall(function() return {call} end))")
    assert re.search(r"^false\t.*: \w+: self must be a (matrix|vector|3D tensor) \(got a \dD tensor", printed)
    fitting = "print(torch.zeros(3, 3):addmm(m, m, m):sum(), torch.addmm(m.new(), m, m, m):sum())"
    assert lua(f"{values} {fitting}") == "12\t12\n"


# What Torch7 printed on a processor with AVX2, by number of elements.
DOT_PRODUCTS = {
    "Double": {
        3: -0.87379841720415063, 13: -0.87454552338851399, 15: -1.2514674517812368, 16: -1.490861391175176,
        17: -1.763615614539465, 31: -8.8082806986498134, 40: -16.15912696571257, 77: -64.857798958726832,
    },
    "Float": {
        3: -0.8737984299659729, 13: -0.87454551458358765, 31: -8.8082809448242188, 32: -9.5235881805419922,
        40: -16.159128189086914, 77: -64.857803344726562, 100: -107.55281066894531,
    },
}  # fmt: skip


@pytest.mark.parametrize("type_name", DOT_PRODUCTS)
def test_dot_products_have_the_original_order(lua: Lua, type_name: str) -> None:
    for n, expected in DOT_PRODUCTS[type_name].items():
        printed = lua(
            f"local a, b = torch.{type_name}Tensor({n}, 2):fill(0), torch.{type_name}Tensor({n})\n"
            f"for i = 1, {n} do a[i][2] = math.sqrt(i) - 3 b[i] = 1 / (i + 0.5) - 0.3 end\n"
            "local x = a:select(2, 2)\n"
            "print(string.format('%.17g %.17g', x:dot(b), x:clone():dot(b)))"
        )
        # Level v2 has no fused multiply-add, which long vectors take.
        tolerance = 1e-6 if native.level() == "v2" else 0
        assert [float(word) for word in printed.split()] == pytest.approx(
            [expected] * 2, rel=tolerance, abs=0
        )
