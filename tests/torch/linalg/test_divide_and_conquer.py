"""Decompositions of larger matrices: SciPy's drivers that iterate are the second source, signs included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from threadpoolctl import threadpool_limits

from t7shell import Runtime

Array = np.ndarray[Any, Any]

SHAPES = [(112, 112), (150, 120), (120, 150), (190, 118), (113, 180), (300, 115), (112, 400)]
EQUAL_VALUES = [np.eye(120), np.diag(np.arange(130) // 2 + 1.0), np.zeros((115, 115))]

BOTH = "local a = ... local e, v = torch.symeig(a, 'V') return e, v, torch.svd(a)"

# How far vectors of random matrices of some hundred rows may be apart.
TOLERANCE = {"float64": 1e-9, "float32": 2e-2}


@pytest.fixture(scope="module")
def runtime() -> Iterator[Any]:
    # Kernels that share their work round otherwise, and a last bit may decide about a sign.
    with threadpool_limits(1, "blas"):
        yield Runtime()


def tensors(runtime: Any, source: str, *arguments: Any) -> list[Array]:
    """Copies of the tensors that a Lua function of these arguments returns."""
    return [np.array(t) for t in runtime.execute(f"return function(...) {source} end")(*arguments)]


def divided(runtime: Any, name: str, a: Array, *sizes: Any) -> bool:
    """Whether the fast way finds vectors."""
    call = f"""return function(a, ...)
       local T = require('torch.core.types').of_tensor(a)
       local result = require('torch.linalg.divide_and_conquer').{name}(T, a, ...)
       return result ~= nil
    end"""
    return bool(runtime.execute(call)(a, *sizes))


def random(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


@pytest.mark.parametrize("kind", TOLERANCE)
@pytest.mark.parametrize("columns", ["S", "A"])
@pytest.mark.parametrize("shape", SHAPES)
def test_svd_has_the_signs_of_gesvd(runtime: Any, shape: tuple[int, int], columns: str, kind: str) -> None:
    a = random(sum(shape), *shape).astype(kind)
    u, s, v = tensors(runtime, "local a, columns = ... return torch.svd(a, columns)", a, columns)
    first, values, second = scipy.linalg.svd(a, full_matrices=columns == "A", lapack_driver="gesvd")
    k, tolerance = min(shape), TOLERANCE[kind]
    assert divided(runtime, "svd", np.asfortranarray(a), k, k)
    assert np.allclose(s, values, rtol=1e-6)
    assert u.shape == first.shape and v.T.shape == second.shape
    assert np.allclose(u[:, :k], first[:, :k], atol=tolerance)
    assert np.allclose(v[:, :k], second[:k].T, atol=tolerance)
    assert np.allclose(u.T @ u, np.eye(u.shape[1]), atol=1e-4)
    assert np.allclose(v.T @ v, np.eye(v.shape[1]), atol=1e-4)


def syev(a: Array, triangle: str = "U") -> tuple[Array, Array]:
    """With the workspace that it asks for: with less it rounds differently."""
    lower = triangle == "L"
    work = int(scipy.linalg.lapack.dsyev_lwork(len(a), lower=lower)[0])
    values, vectors, info = scipy.linalg.lapack.dsyev(a, lower=lower, lwork=work)
    assert info == 0
    return values, vectors


@pytest.mark.parametrize("triangle", ["U", "L"])
@pytest.mark.parametrize("seed", range(6))
def test_symeig_has_the_signs_of_syev(runtime: Any, triangle: str, seed: int) -> None:
    a = random(seed, 112 + 17 * seed, 112 + 17 * seed)
    # One matrix of many kinds: with positive values, graded by rows, in blocks.
    a = [a + a.T, a @ a.T, a + a.T][seed % 3] * np.outer(*2 * [np.linspace(1, 1 + 9 * (seed // 3), len(a))])
    if seed == 5:
        a[:60, 60:] = a[60:, :60] = 0
    half = np.triu(a) if triangle == "U" else np.tril(a)
    e, v = tensors(runtime, "local a, triangle = ... return torch.symeig(a, 'V', triangle)", half, triangle)
    values, vectors = syev(a, triangle)
    assert divided(runtime, "symeig", np.asfortranarray(half), triangle)
    assert np.allclose(e, values, rtol=1e-12, atol=1e-10 * abs(values).max())
    assert np.allclose(v, vectors, atol=1e-8)


def rank_deficient() -> Array:
    a = random(3, 130, 40)
    return a @ a.T


@pytest.mark.parametrize("a", [*EQUAL_VALUES, rank_deficient()])
def test_vectors_of_equal_values_are_those_of_the_iterations(runtime: Any, a: Array) -> None:
    e, v, u, s, w = tensors(runtime, BOTH, a)
    values, vectors = syev(a)
    left, singular, right = scipy.linalg.svd(a, lapack_driver="gesvd")
    assert not divided(runtime, "symeig", a, "U") and not divided(runtime, "svd", a, len(a), len(a))
    assert np.allclose(e, values) and np.allclose(s, singular)
    assert np.allclose(v, vectors) and np.allclose(u, left) and np.allclose(w, right.T)


def test_infinite_elements_are_no_crash(runtime: Any) -> None:
    a = random(1, 120, 120)
    a[3, 4] = a[4, 3] = np.inf
    result = runtime.execute("return function(a) return pcall(torch.symeig, a, 'V') end")(a)
    assert isinstance(result, tuple)
    good, message = runtime.execute("return function(a) return pcall(torch.svd, a) end")(a)
    assert not good and "finite numbers expected" in str(message)


@pytest.mark.parametrize("scale", [1e-120, 1e120])
def test_elements_of_other_magnitudes(runtime: Any, scale: float) -> None:
    a = random(2, 120, 120)
    e, v, u, s, w = tensors(runtime, BOTH, (a + a.T) * scale)
    values = np.linalg.eigvalsh(a + a.T)
    assert np.allclose(e / scale, values) and np.allclose(s / scale, np.sort(abs(values))[::-1])
    assert np.allclose(v * (e / scale) @ v.T, a + a.T) and np.allclose(u * (s / scale) @ w.T, a + a.T)
