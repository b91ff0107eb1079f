"""Rows make the functions of any package, and the help and the reference read the same rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from t7shell.prompt import help

Lua = Callable[[str], str]

OPS = """
return {
   { 'cube', { '[r] t', 'elementwise.map', { 'z = x * x * x' } }, types = 'real',
      doc = 'The third power of each element.',
      example = 'garden.cube(torch.Tensor{2})' },
   { 'flip', { '[R] t', 'kernels.turn.flip' }, types = 'real', doc = 'The elements of a vector in reverse.' },
}
"""

TURN = """
local turn = {}
function turn.flip(name, T)
   return function(r, x)
      if x._dim ~= 1 then error(('%s: vector expected (got %gD)'):format(name, x._dim)) end
      r = T.resize_as(r or T.new_tensor(), x)
      for i = 1, x:size(1) do r[i] = x[-i] end
      return r
   end
end
return turn
"""

CLASSES = """
return { { 'Rose', doc = 'A flower.', signatures = { { 'garden.Rose()', '' } } } }
"""

INIT = """
local garden = {}
require('torch.dispatch.install').package(garden, 'garden', {
   { 'shapes', 'Shapes', 'What can be done to beds.' },
   { 'classes', 'Classes', 'What grows.', define = function(to, row) to[row[1]] = { row[1] } end },
})
return garden
"""


@pytest.fixture
def garden(tmp_path: Path) -> Engine:
    """An engine that has loaded a package with rows."""
    files = {"init": INIT, "ops/shapes": OPS, "ops/classes": CLASSES, "kernels/turn": TURN}
    for name, content in files.items():
        path = tmp_path / "garden" / f"{name}.lua"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    engine = Engine()
    engine.add_script_directory(str(tmp_path))
    assert engine.execute("garden = require 'garden'").ok
    return engine


def printed(engine: Engine, source: str) -> str:
    with engine.capture() as out:
        result = engine.execute(source)
    return out[0] if result.ok else result.message


def test_functions_of_a_package_come_from_its_rows(garden: Engine) -> None:
    assert printed(garden, "print(garden.cube(torch.Tensor{1, 2, -3}):sum())") == "-18\n"
    assert printed(garden, "print(garden.cube(torch.FloatTensor{2}):type())") == "torch.FloatTensor\n"
    assert printed(garden, "print(garden.flip(torch.Tensor{1, 2, 3})[1])") == "3\n"


def test_tensors_get_no_methods_from_other_packages(garden: Engine) -> None:
    assert printed(garden, "print(torch.Tensor().flip, torch.flip, torch.Tensor().cube)") == "nil\tnil\tnil\n"


def test_a_type_is_chosen_by_a_last_name(garden: Engine) -> None:
    source = "print(pcall(garden.cube, torch.IntTensor{1}))"
    assert "torch.IntTensor does not implement the garden.cube() function" in printed(garden, source)


def test_errors_name_the_package(garden: Engine) -> None:
    assert "garden.cube: invalid arguments: string; expected" in printed(garden, "garden.cube('x')")
    assert "garden.flip: vector expected (got 2D)" in printed(garden, "garden.flip(torch.ones(2, 2))")


def test_a_chapter_defines_what_is_no_function_of_tensors(garden: Engine) -> None:
    assert printed(garden, "print(garden.Rose[1])") == "Rose\n"


def test_the_help_reads_the_rows(garden: Engine) -> None:
    lines = help.text_for("garden.cube", garden, 80).splitlines()
    assert lines[0] == "garden.cube([res,] x)"
    assert "The third power of each element." in lines
    assert "Element types: Double, Float, Half" in lines
    assert "   garden.cube(torch.Tensor{2})" in lines
    assert "garden, chapter shapes" in lines[-1]
    assert help.text_for("garden.Rose", garden, 80).splitlines()[:3] == ["garden.Rose()", "", "A flower."]


def test_two_rows_of_one_name_are_refused(garden: Engine) -> None:
    source = "require('torch.dispatch.install').package({}, 'garden', { { 'shapes' }, { 'shapes' } })"
    assert "garden.cube has two rows" in printed(garden, source)


def test_an_operation_of_no_package(lua: Lua) -> None:
    """The gradient of the hyperbolic tangent: g (1 - y y), of the types of the row."""
    source = """
    local gradient = require('torch.dispatch.install').operation { 'Tanh_gradient',
       { 'r t t', 'elementwise.map', { 'z = x * (1 - y * y)' } },
       types = 'real' }
    local g, y, r = torch.Tensor{1, 2}, torch.Tensor{0.5, 0}, torch.Tensor()
    gradient(r, g, y)
    print(r[1], r[2])
    print(gradient(torch.FloatTensor(), g:float(), y:float())[1])
    print(gradient(torch.Tensor(), torch.ones(3, 2):t(), torch.zeros(2, 3)):sum())
    print(select(2, pcall(gradient, r, g, torch.ones(3))))"""
    out = lua(source).splitlines()
    assert out[:3] == ["0.75\t2", "0.75", "6"]
    assert "Tanh_gradient: inconsistent tensor sizes: [2] of 2 elements and [3] of 3" in out[3]
