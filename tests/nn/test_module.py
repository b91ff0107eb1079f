"""The protocol of modules: nn.Module, containers, parameters, copies, types, errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.fixture(autouse=True)
def _nn(lua: Lua) -> None:
    lua("require 'nn'")


def test_a_wrong_size_names_the_path_and_the_sizes(lua: Lua) -> None:
    text = lua(
        "local s = nn.Sequential():add(nn.Sequential():add(nn.Linear(3, 2)):add(nn.Linear(4, 5)))\n"
        "print(select(2, pcall(s.forward, s, torch.ones(7, 3))))"
    )
    assert "Sequential[1] > Sequential[2] > Linear(4 -> 5): input must be of size 4" in text
    assert "(got DoubleTensor [7x2])" in text


def test_an_init_that_leaves_out_its_parent_is_named(lua: Lua) -> None:
    text = lua(
        "local Forgets = torch.class('nn.Forgets', 'nn.Module')\n"
        "function Forgets:__init() end\n"
        "function Forgets:updateOutput(x) return self.output:resizeAs(x) end\n"
        "local s = nn.Sequential():add(nn.Forgets())\n"
        "print(select(2, pcall(s.forward, s, torch.ones(2))))"
    )
    assert text.endswith("(a nil value); its __init does not call parent.__init(self)\n")
    assert "Sequential[1] > Forgets: attempt to index field 'output'" in text


def test_classes_of_programs_inherit_and_patches_reach_objects_made_before(lua: Lua) -> None:
    assert (
        lua(
            "local Mine, parent = torch.class('nn.Mine', 'nn.Linear')\n"
            "function Mine:updateOutput(x) return parent.updateOutput(self, x):mul(2) end\n"
            "local m = nn.Mine(2, 1)\n"
            "m.weight:copy(torch.Tensor{{1, 2}}) m.bias:fill(3)\n"
            "print(m:forward(torch.Tensor{1, 1})[1])\n"
            "function nn.Mine.updateOutput() return 'patched' end\n"
            "print(m:forward(torch.Tensor{1, 1}))"
        )
        == "12\npatched\n"
    )


def test_get_parameters_gives_views_and_shares_once(lua: Lua) -> None:
    assert (
        lua(
            "local a, b = nn.Linear(2, 2), nn.Linear(2, 2)\n"
            "b:share(a, 'weight', 'gradWeight')\n"
            "local p, g = nn.Sequential():add(a):add(b):getParameters()\n"
            "p:fill(3) print(p:nElement(), g:nElement(), a.weight:sum(), b.weight:sum(), b.bias:sum())"
        )
        == "8\t8\t12\t12\t6\n"
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("nn.Sequential():add(nil)", "Sequential: add: argument 1 must be a module (got nil)"),
        ("nn.Concat(1):add('x')", "Concat: add: argument 1 must be a module (got 'x')"),
        ("nn.Sequential().add(nn.Linear(2, 2))", "add: self must be a container (got nn.Linear)"),
    ],
)
def test_what_is_no_module_is_not_added(lua: Callable[[str], str], program: str, message: str) -> None:
    assert message in lua(f"require 'nn' print(pcall(function() {program} end))")


def test_parametric_relu_of_maps_without_a_batch(lua: Callable[[str], str]) -> None:
    source = """
    require 'nn'
    local m = nn.PReLU(2)
    m.weight:copy(torch.Tensor{0.5, 0.25})
    local y = m:forward(torch.Tensor(2, 3, 3):fill(-1))
    print(y[1]:sum(), y[2]:sum(), m:forward(torch.Tensor(1, 2, 3, 3):fill(-1)):sum())
    """
    assert lua(source) == "-4.5\t-2.25\t-6.75\n"
