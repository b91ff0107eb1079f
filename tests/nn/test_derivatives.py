"""nn.Jacobian: ways to step along the gradient of a parameter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]


@pytest.mark.parametrize("size", ["4", "5, 4"])
@pytest.mark.parametrize("module", ["Linear(4, 3)", "Euclidean(4, 3)"])
def test_all_ways_to_update_agree(lua: Lua, module: str, size: str) -> None:
    printed = lua(f"""
        require 'nn'
        torch.manualSeed(2)
        local names, largest = {{}}, 0
        local errors = nn.Jacobian.testAllUpdate(nn.{module}, torch.randn({size}), 'weight', 'gradWeight')
        for name, e in pairs(errors) do
           names[#names + 1], largest = name, math.max(largest, e)
        end
        table.sort(names)
        print(table.concat(names, ','), largest < 1e-12)
    """)
    assert printed == (
        "accGradParameters,accGradParameters [shared],"
        "accUpdateGradParameters,accUpdateGradParameters [shared]\ttrue\n"
    )


def test_an_update_that_ignores_its_rate_is_found(lua: Lua) -> None:
    printed = lua("""
        require 'nn'
        local m = nn.Linear(2, 2)
        function m:accUpdateGradParameters(x, g) self.weight:add(-1, torch.ger(g, x)) end
        local errors = nn.Jacobian.testAllUpdate(m, torch.ones(2), 'weight', 'gradWeight')
        print(errors.accGradParameters < 1e-12, errors.accUpdateGradParameters > 1e-3,
              errors['accUpdateGradParameters [shared]'] > 1e-3, errors['accGradParameters [shared]'] < 1e-12)
    """)
    assert printed == "true\ttrue\ttrue\ttrue\n"


def test_gradients_of_distances_are_those_of_the_forward_pass(lua: Lua) -> None:
    # y = |x - w| and dy/dw = (w - x) / y at w = 1, although w is 5 when the gradient is computed.
    printed = lua("""
        require 'nn'
        local m = nn.Euclidean(1, 1)
        m.weight:fill(1)
        local x = torch.Tensor{3}
        m:zeroGradParameters()
        m:forward(x)
        m.weight:fill(5)
        m:updateGradInput(x, torch.ones(1))
        m:accGradParameters(x, torch.ones(1))
        print(m.gradWeight:sum() < -0.999, m.gradInput[1] > 0.999)
    """)
    assert printed == "true\ttrue\n"
