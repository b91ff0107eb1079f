"""Products of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from t7shell import Runtime


@pytest.fixture(scope="module")
def run() -> Callable[[str], Any]:
    """Runs Lua source; tensors come back as arrays, several results as a tuple."""
    runtime = Runtime()
    return runtime.execute


@pytest.mark.parametrize("kind", ["Byte", "Char", "Short", "Int", "Long"])
def test_products_of_integers_wrap_as_64_bits(kind: str, run: Callable[[str], Any]) -> None:
    """7^30 modulo 2^64, as a number; 7^31 is negative then."""
    for count in (30, 31):
        wrapped = (7**count + 2**63) % 2**64 - 2**63
        assert run(f"return torch.{kind}Tensor({count}):fill(7):prod()") == float(wrapped)
