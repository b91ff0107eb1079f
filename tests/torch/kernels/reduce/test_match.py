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


@pytest.mark.parametrize(("gain", "expected"), [("1e10", "0 -2147483648"), ("1/0", "0 -2147483648")])
def test_gains_are_converted_as_elements_are(lua: Callable[[str], str], gain: str, expected: str) -> None:
    """What no integer of 32 bits is becomes the least one, times 8 and 13."""
    operands = "torch.IntTensor{{1, 2}}, torch.IntTensor{{3, 4}, {3, 5}}"
    source = f"local d = torch.match({operands}, {gain})"
    assert lua(f"{source} io.write(d[1][1], ' ', d[1][2])") == expected


@pytest.mark.parametrize(
    ("operands", "expected"),
    [
        ("torch.LongTensor{{1, 4}, {-3, 6}}, torch.LongTensor{{0, -5}, {2^63, -2}}, 3", "246 111 390 219"),
        ("torch.IntTensor{{2^31 - 1}, {-2^31}}, torch.IntTensor{{-4}, {65536}}, -1", "-9 -131073 -16 0"),
        ("torch.ByteTensor{{1, 200}}, torch.ByteTensor{{200, 1}, {255, 0}}", "98 68"),
        ("torch.ShortTensor{{-32768, 100}}, torch.ShortTensor{{32767, -1}, {0, 0}}, 2.7", "20404 20000"),
    ],
)
def test_distances_of_integers_wrap(lua: Callable[[str], str], operands: str, expected: str) -> None:
    """What Torch7 gave."""
    assert lua(f"io.write(table.concat(torch.match({operands}):view(-1):totable(), ' '))") == expected


def test_the_method_writes_to_self(lua: Callable[[str], str]) -> None:
    # As in Torch7, whose method had both operands.
    source = "local a, r = torch.ones(2, 1), torch.Tensor() print(r:match(a, a * 3) == r, r:sum())"
    assert lua(f"{source} print((pcall(r.match, a, a)))") == "true\t16\nfalse\n"
