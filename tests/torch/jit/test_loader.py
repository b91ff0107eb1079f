"""Variables may be called `type`, `math` or `table`: the library must not see them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from t7shell.engine.engine import Engine

Run = Callable[[str], str]


def test_operations_and_packages_first_used_after_globals_were_redefined(fresh_lua: Run) -> None:
    assert (
        fresh_lua("""
        local print, ipairs = print, ipairs
        for _, name in ipairs { 'type', 'math', 'table', 'string', 'next', 'select', 'pairs', 'unpack' } do
           _G[name] = 'mine'
        end
        local sorted, places = torch.sort(torch.Tensor { 3, 1, 2 })
        print(sorted:sum(), places[1], torch.inverse(torch.eye(2)):trace())
        print(torch.deserialize(torch.serialize { 7 })[1])
        print(torch.FloatTensor { { 1, 2 } }:t():size(1))""")
        == "6\t2\t2\n7\n2\n"
    )


def test_packages_and_their_classes_after_all_functions_were_redefined(fresh_lua: Run) -> None:
    """Before they are loaded, and between their loading and their use."""
    assert (
        fresh_lua("""
        local functions = {}
        local function redefine()
           for name in functions.pairs(functions) do _G[name] = function() functions.error(name) end end
           for _, name in functions.ipairs { 'string', 'table', 'math', 'coroutine' } do _G[name] = nil end
        end
        for name, value in pairs(_G) do
           if type(value) == 'function' then functions[name] = value end
        end
        local print, require, sum = print, require, 0
        redefine()
        require 'nn' require 'optim' require 'nngraph' require 'image' require 'csvigo'
        local tds, cjson = require 'tds', require 'cjson'
        redefine()
        local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.LogSoftMax())
        local criterion, x = nn.ClassNLLCriterion(), torch.ones(4, 3)
        local w, g = net:getParameters()
        local state = { learningRate = 0.1 }
        for _ = 1, 2 do
           optim.adam(function()
              g:zero()
              local loss = criterion:forward(net:forward(x), torch.ones(4))
              net:backward(x, criterion:backward(net.output, torch.ones(4)))
              return loss, g
           end, w, state)
        end
        local input = nn.Identity()()
        local graph = nn.gModule({ input }, { nn.Tanh()(nn.Linear(3, 1)(input)) })
        local list = tds.Vec { 1, 2 }
        print(graph:forward(x):size(1), #list, image.scale(torch.ones(4, 4), 2, 2):sum())
        local copy = torch.deserialize(torch.serialize(net))
        print(cjson.encode { 1, 2 }, net:__tostring__():len() > 10, copy:forward(x):dim())
        print(paths.concat('a', 'b'):sub(-3), torch.einsum('ij,ij->', x, x), pl.stringx.strip(' x '))
        """)
        == "4\t2\t4\n[1,2]\ttrue\t2\na/b\t12\tx\n"
    )


def test_a_package_that_a_program_puts_first_is_taken(fresh_lua: Run, tmp_path: Path) -> None:
    (tmp_path / "pl").mkdir()
    (tmp_path / "pl" / "stringx.lua").write_text("return { mine = true }")
    source = f"package.path = '{tmp_path}/?.lua;' .. package.path print(require 'pl.stringx'.mine)"
    assert fresh_lua(source + " print(require 'pl.List' ~= nil)") == "true\ntrue\n"


def test_modules_of_the_library_are_found_without_package_path(fresh_lua: Run) -> None:
    assert fresh_lua("package.path = '' print(torch.ones(6):sum(), require 'pl.List' ~= nil)") == "6\ttrue\n"


def test_a_module_of_bytecode_reports_its_file() -> None:
    state = Engine()
    failed = state.execute("torch.ones(2):narrow(1, 2, 5)")
    assert failed.message and "narrow" in failed.message
    where = state.execute("return debug.getinfo(torch.totable or torch.type, 'S').short_src", mode="prompt")
    assert ".lua" in where.values[0]
