"""Whether tensors are equal as a whole, in layouts other than by rows."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("sizes", ["5, 6", "700, 900", "2, 300000", "300000, 2", "90, 80, 70"])
def test_one_element_makes_a_difference(lua: Callable[[str], str], sizes: str) -> None:
    """Large tensors are compared by parts."""
    source = f"""
    local x = torch.FloatTensor({sizes}):uniform()
    local y = x:transpose(1, 2):clone():transpose(1, 2)
    io.write(tostring(x:equal(y)), ' ', tostring(y:equal(x)), ' ', tostring(y:equal(y)), ' ')
    y[y:size():totable()] = 2
    io.write(tostring(x:equal(y)), ' ', tostring(y:equal(x)))"""
    assert lua(source) == "true true true false false"
