"""Code that is filled in and compiled: a value that is missing is noticed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine

Lua = Callable[[str], str]


def test_values_and_upvalues(lua: Lua) -> None:
    source = """
    local template = require 'torch.jit.template'
    print(template.compile('sum', 'return function(x) return floor(x $sign ${n}0) end',
       { sign = '+', n = 1 }, { floor = math.floor })(2.5))"""
    assert lua(source) == "12\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("'f', 'return $x'", "template f: no value for $x"),
        ("'f', 'return $x', { x = {} }", "template f: no value for $x"),
        ("'f', 'return return'", "template f: t7 f:1: unexpected symbol near 'return'"),
        ("'f', 'return floor(1)', {}, { ceil = math.ceil }", "template f: floor is not among its upvalues"),
    ],
)
def test_mistakes_are_named(engine: Engine, arguments: str, message: str) -> None:
    result = engine.execute(f"require('torch.jit.template').compile({arguments})")
    assert message in result.message
