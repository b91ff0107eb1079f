"""The table of names: what a collected tensor leaves."""

from __future__ import annotations

from collections.abc import Callable

Lua = Callable[[str], str]


def test_names_go_with_their_tensor(fresh_lua: Lua) -> None:
    """Tensors that come to lie where collected ones were have no names."""
    program = """
        local names = require 'torch.base.dimension_names'
        local found, places = 0, {}
        for round = 1, 50 do
           local kept = {}
           for k = 1, 200 do
              kept[k] = torch.zeros(2, 3):setNames('a', 'b')
              places[tostring(names.list_of[kept[k]])] = true
           end
           kept = nil
           collectgarbage() collectgarbage()
           for k = 1, 200 do
              local t = torch.zeros(2, 3)
              if t:names()[1] ~= '_' then found = found + 1 end
           end
        end
        collectgarbage() collectgarbage()
        print(found, next(names.list_of))
    """
    assert fresh_lua(program) == "0\tnil\n"


def test_methods_that_were_kept_before_cannot_leave_wrong_names(fresh_lua: Lua) -> None:
    """They know nothing of names; a tensor that they give other sizes has lost its own."""
    program = """
        local x = torch.zeros(2, 3)
        local sum, resize, add = x.sum, x.resize, x.add
        local function named() return torch.zeros(2, 3):setNames('a', 'b') end
        print(resize(named(), 3, 2):names()[1], add(named(), torch.ones(4, 5), 1):names()[1])
        print(add(named(), 1):names()[1], resize(named(), 2, 3):names()[2], sum(named(), 1):names()[1])
    """
    assert fresh_lua(program) == "_\t_\na\tb\t_\n"


def test_a_tensor_whose_dimensions_changed_by_hand_has_lost_its_names(fresh_lua: Lua) -> None:
    program = """
        local names, geometry = require 'torch.base.dimension_names', require 'torch.base.geometry'
        local t = torch.zeros(2, 3):setNames('a', 'b')
        geometry.set_dim(t, 1) t._size[0], t._stride[0] = 6, 1
        print(t:names()[1], (names.get(t)))
        geometry.set_dim(t, 2) t._size[0], t._size[1], t._stride[0], t._stride[1] = 2, 3, 3, 1
        print(t:names()[1])
    """
    assert fresh_lua(program) == "_\tnil\n_\n"


def test_lists_are_not_the_programs(fresh_lua: Lua) -> None:
    program = """
        local given = { 'a', 'b' }
        local t = torch.zeros(2, 3):setNames(given)
        given[1] = 'z'
        t:names()[2] = 'y'
        print(t:names()[1], t:names()[2])
    """
    assert fresh_lua(program) == "a\tb\n"
