"""The derivatives of every row of torch's operations, first and second, against differences in doubles."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import Runtime
from tests.conftest import Run
from tests.runtimes import array, runtime_fixture

lua = runtime_fixture("grad = require 'autograd'")


def test_every_row(t7: Run) -> None:
    done = t7(str(Path(__file__).with_name("derivatives.lua")))
    assert done.stdout == "done\n", done.stdout + done.stderr


@pytest.mark.slow
def test_an_operation_without_a_row_is_found(t7: Run, tmp_path: Path) -> None:
    program = tmp_path / "wrong.lua"
    program.write_text(
        "require('autograd.records').declare { 'exp', { 't', x = 'mul(g, x)' } }\n"
        "require('autograd.records').by_name.ger = nil\n"
        f"arg = {{}} dofile '{Path(__file__).with_name('derivatives.lua')}'\n"
    )
    lines = t7(str(program)).stdout
    assert "exp x: by argument 1" in lines
    assert "no derivative row: ger" in lines


@pytest.mark.parametrize("kind", ["Float", "Half"])
def test_types_change_back(lua: Runtime, kind: str) -> None:
    lua.execute(f"x = torch.{kind}Tensor{{1, 2}}")
    lua.execute("g = grad(function(x) return torch.sum(torch.pow(x:double(), 2)) end)(x)")
    assert lua.eval("g:type() == x:type()")
    assert array(lua, "g:double()").tolist() == [2, 4]


def test_division_of_tensors_in_modern(lua: Runtime) -> None:
    lua.execute("torch.dialect 'modern' x, y = torch.Tensor{1, 4}, torch.Tensor{2, 8}")
    try:
        lua.execute("g = grad(function(p) return torch.sum(p[1] / p[2]) end)({x, y})")
        assert array(lua, "g[1]").tolist() == [0.5, 0.125]
        assert array(lua, "g[2]").tolist() == [-0.25, -0.0625]
        # The operands are broadcast, and `*` goes element by element.
        lua.execute("g = grad(function(p) return torch.sum(p[1] * p[2]) end)({torch.ones(2, 2), y})")
        assert array(lua, "g[1]").tolist() == [[2, 8], [2, 8]]
        assert array(lua, "g[2]").tolist() == [2, 2]
    finally:
        lua.execute("torch.dialect 't7'")


def test_an_einsum_that_sums_a_diagonal(lua: Runtime) -> None:
    lua.execute("g = grad(function(x) return torch.einsum('ii', x) end)(torch.ones(2, 2))")
    assert array(lua, "g").tolist() == [[1, 0], [0, 1]]


def test_gather_counts_an_element_as_often_as_it_is_taken(lua: Runtime) -> None:
    lua.execute("index = torch.LongTensor{{1, 1, 2}}")
    lua.execute("g = grad(function(x) return torch.sum(torch.gather(x, 2, index)) end)(torch.ones(1, 3))")
    assert array(lua, "g").tolist() == [[2, 1, 0]]


@pytest.mark.parametrize("name", ["conv2", "xcorr2"])
@pytest.mark.parametrize("region", ["V", "F"])
@pytest.mark.parametrize("kernels", ["2, 3, 3", "3, 2, 3, 2"])
def test_convolutions_of_planes(lua: Runtime, name: str, region: str, kernels: str) -> None:
    # Planes with a kernel each, and with one for each plane of the output.
    lua.execute(f"""
        check = require 'autograd.gradcheck' {{randomizeInput = false}}
        square = function(p) return torch.sum(torch.pow(torch.{name}(p.x, p.y, '{region}'), 2)) end
        fine = check(square, {{x = torch.rand(2, 5, 5), y = torch.rand({kernels})}})""")
    assert lua.eval("fine")


def test_products_by_equations_of_batches(lua: Runtime) -> None:
    lua.execute("""
        check = require 'autograd.gradcheck' {randomizeInput = false}
        f = function(p) return torch.sum(torch.pow(torch.einsum('...ij,...kj->...ik', p.x, p.y), 2)) end
        fine = check(f, {x = torch.rand(2, 3, 4), y = torch.rand(2, 2, 4)})""")
    assert lua.eval("fine")
