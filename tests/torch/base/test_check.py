"""The checks of arguments: what they return, and the sentence that they raise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine

Lua = Callable[[str], str]

PASSES = [
    ("select(2, check.tensor('f', 'input', torch.ones(2))).name", "Double"),
    ("select(2, check.real('f', 'input', torch.FloatTensor(2))).name", "Float"),
    ("check.same_type('f', 'input', torch.IntTensor{4}, torch.IntTensor())[1]", "4"),
    ("check.same_size('f', 'input', torch.ones(2, 3), torch.IntTensor(2, 3)):sum()", "6"),
    ("check.same_count('f', 'input', torch.ones(6), torch.IntTensor(2, 3)):sum()", "6"),
    ("check.dimensions('f', 'input', torch.ones(2, 2), 1, 2):sum()", "4"),
    ("check.number('f', 'rate', '0.5')", "0.5"),
    ("check.integer('f', 'count', -2.7)", "-2"),
    ("check.size('f', 'count', '7')", "7"),
    ("check.index('f', 'index', 3, 3)", "3"),
    ("check.kind('f', 'name', 'x', 'string')", "x"),
    ("check.callable('f', 'callback', print) == print", "true"),
    ("check.callable('f', 'class', torch.DoubleTensor) ~= nil", "true"),
    ("check.one_of('f', 'mode', 'full', { 'valid', 'full' })", "full"),
]

FAILURES = [
    ("check.tensor('f', 'input', 3)", "f: input must be a tensor (got 3)"),
    (
        "check.tensor('f', 'mask', torch.ones(2), require('torch.base.types').by_name.Byte)",
        "f: mask must be a torch.ByteTensor (got DoubleTensor [2])",
    ),
    (
        "check.real('f', 'input', torch.IntTensor(2))",
        "f: input must be a DoubleTensor or FloatTensor (got IntTensor [2])",
    ),
    (
        "check.same_type('f', 'gradOutput', torch.FloatTensor(), torch.Tensor())",
        "f: gradOutput must be a torch.DoubleTensor (got FloatTensor without elements)",
    ),
    (
        "check.same_size('f', 'target', torch.ones(3, 2), torch.ones(2, 3))",
        "f: target must be a tensor of size [2x3] (got DoubleTensor [3x2])",
    ),
    (
        "check.same_count('f', 'target', 'x', torch.ones(2, 3))",
        "f: target must be a tensor of 6 elements (got 'x')",
    ),
    (
        "check.dimensions('f', 'input', torch.ones(2), 3, 4)",
        "f: input must be a tensor of 3 or 4 dimensions (got DoubleTensor [2])",
    ),
    ("check.dimensions('f', 'x', 1, 1, 1)", "f: x must be a tensor of 1 dimension (got 1)"),
    ("check.number('f', 'rate', {})", "f: rate must be a number (got table {})"),
    ("check.integer('f', 'count', 0 / 0)", "f: count must be a whole number (got nan)"),
    ("check.integer('f', 'p', 5, 0, 1)", "f: p must be a whole number from 0 to 1 (got 5)"),
    ("check.size('f', 'count', 0)", "f: count must be a whole number of at least 1 (got 0)"),
    ("check.index('f', 'class', 4, 3)", "f: class must be an index from 1 to 3 (got 4)"),
    ("check.index('f', 'class', 1.5, 3)", "f: class must be an index from 1 to 3 (got 1.5)"),
    ("check.index('f', 'class', 0 / 0, 3)", "f: class must be an index from 1 to 3 (got nan)"),
    ("check.kind('f', 'list', torch.Timer(), 'table')", "f: list must be a table (got torch.Timer)"),
    ("check.callable('f', 'callback', {1, 2})", "f: callback must be a function (got table {1, 2})"),
    (
        "check.one_of('f', 'mode', 'ful', { 'valid', 'full' })",
        "f: mode must be one of 'valid', 'full' (got 'ful')",
    ),
]


@pytest.mark.parametrize(("call", "value"), PASSES)
def test_right_values_come_back(lua: Lua, call: str, value: str) -> None:
    assert lua(f"local check = require 'torch.base.check' print({call})") == value + "\n"


@pytest.mark.parametrize(("call", "message"), FAILURES)
def test_wrong_values_are_described(engine: Engine, call: str, message: str) -> None:
    result = engine.execute(f"local check = require 'torch.base.check'\nlocal _ = {call}", "@mine.lua")
    assert result.message == f"mine.lua:2: {message}"


def test_objects_name_themselves_by_their_text(lua: Lua) -> None:
    source = """
    local check = require 'torch.base.check'
    local garden = {}
    local Linear = torch.class('garden.Linear', garden)
    function Linear:__init(text) self.text = text end
    function Linear:__tostring__() return self.text end
    for _, text in ipairs { 'garden.Linear(3 -> 4)', 'Linear(3 -> 4)', 'several\\nlines', 'other' } do
       print(check.name(garden.Linear(text)))
    end"""
    assert lua(source).splitlines() == ["Linear(3 -> 4)", "Linear(3 -> 4)", "Linear", "Linear"]
