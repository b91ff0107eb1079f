"""Functions of the library in files: they are written by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ...conftest import Run

Lua = Callable[[str], str]


def test_a_network_with_a_replaced_method_is_cloned(lua: Lua) -> None:
    printed = lua("""
        require 'nn'
        local net = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh())
        local original = net:get(1).updateOutput
        net:get(1).updateOutput = function(self, x)
           self.calls = (self.calls or 0) + 1
           return original(self, x)
        end
        local x = torch.ones(2)
        local y = net:forward(x):clone()
        local clone = net:clone()
        print(clone:forward(x):equal(y), clone:get(1).calls, net:get(1).calls)
    """)
    assert printed == "true\t2\t1\n"


@pytest.mark.parametrize("mode", ["binary", "ascii"])
def test_functions_are_read_in_another_process(t7: Run, tmp_path: Path, mode: str) -> None:
    source = f"""
        require 'nn' require 'optim'
        local abs = torch.abs
        torch.save('{tmp_path}/f', {{
           method = optim.sgd, parameters = nn.Linear.parameters, split = stringx.split,
           total = function(x) return abs(x):sum() end }}, '{mode}')
    """
    assert t7("-e", source).returncode == 0
    done = t7(
        "-e",
        f"""
        require 'nn' require 'optim'
        local f = torch.load('{tmp_path}/f', '{mode}')
        local x = torch.Tensor{{3}}
        f.method(function() return 0, torch.Tensor{{2}} end, x, {{ learningRate = 0.5 }})
        print(x[1], #f.parameters(nn.Linear(2, 2)), #f.split('a b c', ' '), f.total(torch.Tensor{{-2, 1}}))
    """,
    )
    assert (done.stdout, done.stderr) == ("2\t2\t3\t3\n", "")


def test_a_function_held_since_before_its_package_was_loaded_has_a_name(lua: Lua) -> None:
    printed = lua("""
        local optim = require 'optim'
        local early = optim.adagrad
        early(function() return 0, torch.Tensor{1} end, torch.Tensor{1}, {})
        local late = torch.deserialize(torch.serialize(early))
        local x = torch.Tensor{1}
        late(function() return 0, torch.Tensor{4} end, x, { learningRate = 1 })
        print(math.abs(x[1]) < 1e-9)
    """)
    assert printed == "true\n"
