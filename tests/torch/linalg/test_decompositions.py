"""Decompositions of matrices below and above the size to divide and conquer: NumPy is the second source."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import Runtime
from tests.runtimes import runtime_fixture

SIZES = [(5, 3), (111, 200), (112, 112), (120, 400), (400, 120)]


runtime = runtime_fixture()


@pytest.mark.parametrize("dtype", ["Double", "Float"])
@pytest.mark.parametrize(("rows", "columns"), SIZES)
@pytest.mark.parametrize("wanted", ["S", "A"])
def test_svd(runtime: Runtime, rows: int, columns: int, dtype: str, wanted: str) -> None:
    runtime.execute(
        f"torch.manualSeed(1) a = torch.randn({rows}, {columns}):type('torch.{dtype}Tensor')"
        f" u, s, v = torch.svd(a, '{wanted}')"
    )
    a, u, s, v = (np.array(runtime.eval(name)) for name in "ausv")
    k, tolerance = min(rows, columns), 1e-12 if dtype == "Double" else 1e-4
    assert u.shape == (rows, rows if wanted == "A" else k)
    assert v.shape == (columns, columns if wanted == "A" else k)
    np.testing.assert_allclose(s, np.linalg.svd(a.astype(float))[1], rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(u[:, :k] * s @ v[:, :k].T, a, atol=10 * tolerance)
    np.testing.assert_allclose(u.T @ u, np.eye(u.shape[1]), atol=10 * tolerance)
    np.testing.assert_allclose(v.T @ v, np.eye(v.shape[1]), atol=10 * tolerance)


@pytest.mark.parametrize("dtype", ["Double", "Float"])
@pytest.mark.parametrize("count", [4, 111, 112, 250])
@pytest.mark.parametrize("triangle", ["U", "L"])
def test_symeig(runtime: Runtime, count: int, dtype: str, triangle: str) -> None:
    """Only one triangle is looked at."""
    runtime.execute(
        f"torch.manualSeed(1) a = torch.randn({count}, {count}):type('torch.{dtype}Tensor')"
        f" e, v = torch.symeig(a, 'V', '{triangle}') f = torch.symeig(a, 'N', '{triangle}')"
    )
    a, e, v, f = (np.array(runtime.eval(name)).astype(float) for name in "aevf")
    part = np.triu(a) if triangle == "U" else np.tril(a)
    whole = part + part.T - np.diag(np.diag(a))
    tolerance = 1e-12 if dtype == "Double" else 2e-4
    np.testing.assert_allclose(e, np.linalg.eigvalsh(whole), atol=20 * tolerance)
    np.testing.assert_allclose(f, e, atol=20 * tolerance)
    np.testing.assert_allclose(v * e @ v.T, whole, atol=50 * tolerance)


def test_what_is_not_finite(runtime: Runtime) -> None:
    for count in (5, 150):
        for value in ("0/0", "1/0"):
            source = f"torch.svd(torch.Tensor({count}, {count}):fill({value}))"
            result = runtime.execute(f"return pcall(function() {source} end)")
            assert result[0] is False
            assert "must hold finite numbers" in str(result[1])


def test_matrices_of_low_rank(runtime: Runtime) -> None:
    """Equal values have vectors of some choice."""
    for source in ("torch.ones(150, 130)", "torch.zeros(130, 150)", "torch.eye(140):mul(3)"):
        runtime.execute(f"a = {source} u, s, v = torch.svd(a)")
        a, u, s, v = (np.array(runtime.eval(name)) for name in "ausv")
        np.testing.assert_allclose(u * s @ v.T, a, atol=1e-12)


def test_eigenvalues_are_rows_in_memory(runtime: Runtime) -> None:
    # Strides of Torch7, also those of a single row.
    source = """
    local e, v = torch.eig(torch.eye({}), 'V')
    return e:stride(1) .. e:stride(2) .. v:stride(1) .. v:stride(2)
    """
    assert [runtime.execute(source.format(n)) for n in (1, 2, 3)] == ["2111", "2112", "2113"]
