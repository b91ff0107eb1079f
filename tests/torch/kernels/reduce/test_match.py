"""torch.match: squared distances between rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize(("gain", "expected"), [("-2.5", "-18"), ("0.5", "0"), ("2.9", "18")])
@pytest.mark.parametrize("kind", ["Short", "Long"])
def test_integers_have_a_gain_without_fraction(
    lua: Callable[[str], str], kind: str, gain: str, expected: str
) -> None:
    """As all numbers that the original gives to integer tensors."""
    of = f"torch.{kind}Tensor"
    assert lua(f"print(torch.match({of}{{{{3}}}}, {of}{{{{0}}}}, {gain})[1][1])") == f"{expected}\n"
