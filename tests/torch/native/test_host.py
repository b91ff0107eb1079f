"""Functions of packages in Python: what they do not expect is an error with their name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize(
    "call",
    [
        "npy4th.savenpy('made.npy', t)",
        "npy4th.savenpz('made.npz', {a = t})",
        "matio.save('made.mat', t)",
        "matio.save('made.mat', {a = {b = {t}}})",
        "signal.fft(t)",
        "cephes.gamma(t)",
    ],
)
def test_tensors_of_more_dimensions_than_arrays_have(lua: Lua, call: str) -> None:
    printed = lua(f"""
        local npy4th, matio, signal = require 'npy4th', require 'matio', require 'signal'
        local cephes = require 'cephes'
        local t = torch.ones(torch.LongStorage(1000):fill(1))
        print(pcall(function() {call} end))""")
    assert printed.startswith("false\ttest:5: "), printed
    assert "tensors must have at most 64 dimensions (got 1000)" in printed, printed


def test_exceptions_of_python(lua: Lua) -> None:
    """No object of Python where one is expected."""
    printed = lua("""
        local exchange = require('torch.native.host').of 'exchange'
        print(pcall(exchange.tensor, nil, 'x', 1))
        print(type(select(2, pcall(exchange.tensor, nil, 'x', 1))))""")
    first, second = printed.splitlines()
    assert "test:3: exchange.tensor: failed in Python: AttributeError: " in first
    assert second == "string"
