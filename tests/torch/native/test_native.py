"""NumPy's loops as C functions."""

import numpy as np
import pytest

from t7shell.host.native import in_vectors


def test_which_loops_compute_in_vectors() -> None:
    pytest.importorskip("numpy.lib.introspect")
    found = np.show_config(mode="dicts")["SIMD Extensions"]["found"]  # type: ignore[index]
    assert in_vectors("exp", "float64,float64") == ("AVX512_SKX" in found or "X86_V4" in found)
    assert not in_vectors("gammaln", "float64,float64")  # SciPy's
