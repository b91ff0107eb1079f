"""Functions in files: none runs while objects are read; the library's own are written by their names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ...conftest import Run

Lua = Callable[[str], str]


@pytest.mark.parametrize(
    "name",
    [
        "upgrade",
        "read",
        "__read",
        "__init",
        "write",
        "__gc",
        "__tostring",
        "__tostring__",
        "__eq",
        "__eq__",
        "__lt__",
        "__index",
        "__index__",
        "__newindex",
        "__newindex__",
        "__len__",
        "type",
        "clone",
        "reset",
        "forward",
    ],
)
@pytest.mark.parametrize("class_name", ["nn.Linear(2, 2)", "nn.Sequential()", "nn.ReLU()"])
def test_no_field_of_the_file_is_called_as_a_method(lua: Lua, class_name: str, name: str) -> None:
    source = f"""require 'nn'
    local ran, key = false, '{name}'
    local object = {class_name}
    object[key] = function() _G.the_file_ran = true end
    local text = torch.serialize(object)
    object[key] = nil
    local loaded = torch.deserialize(text)
    print(_G.the_file_ran, torch.type(loaded) == torch.type(object), type(rawget(loaded, key)))
    rawget(loaded, key)()
    print(_G.the_file_ran)
    _G.the_file_ran = nil"""
    assert lua(source) == "nil\ttrue\tfunction\ntrue\n"


def test_a_table_of_the_file_is_no_tensor_for_upgrades(lua: Lua) -> None:
    source = """require 'nn'
    local norm = nn.BatchNormalization(3)
    norm.running_std = { clone = function() _G.the_file_ran = true end }
    print(pcall(torch.deserialize, torch.serialize(norm)))
    print(_G.the_file_ran)"""
    refused, ran = lua(source).splitlines()
    assert "cannot read a nn.BatchNormalization: a function from the file is called while its" in refused
    assert ran == "nil"


def test_read_methods_of_programs_cannot_call_the_file_either(lua: Lua) -> None:
    source = """torch.class('HeldReader')
    function HeldReader:read(file)
       for k, v in pairs(file:readObject()) do self[k] = v end
       self:prepare()
    end
    local object = HeldReader()
    object.prepare = function() _G.the_file_ran = true end
    print(pcall(torch.deserialize, torch.serialize(object)))
    print(_G.the_file_ran)
    HeldReader = nil"""
    refused, ran = lua(source).splitlines()
    assert refused.startswith("false") and "is called while" in refused and ran == "nil"


def test_functions_keep_their_identity_wherever_they_are(lua: Lua) -> None:
    source = """require 'nn'
    local f = function() return 7 end
    local function through() return f, f() end
    local module = nn.Identity()
    module.list, module.deep = { f, [f] = 'key' }, { { through = through } }
    module.f = f
    local x = torch.deserialize(torch.serialize(module))
    print(x.f == x.list[1], x.list[x.f], x.f == x.deep[1].through(), select(2, x.deep[1].through()))
    print(torch.deserialize(torch.serialize(f))(), type(string.dump(x.f)), debug.getinfo(x.f).nparams)
    local file = torch.MemoryFile()
    file:writeObject(f); file:writeObject({ f })
    file:seek(1)
    local first = file:readObject()
    print(file:readObject()[1] == first, first())"""
    assert lua(source) == "true\tkey\ttrue\t7\n7\tstring\t0\ntrue\t7\n"


def test_a_function_that_a_read_method_hides_works_afterwards(lua: Lua) -> None:
    source = """torch.class('HeldHider')
    local hidden = {}
    function HeldHider:write(file) file:writeObject(function(x) return x + 1 end) end
    function HeldHider:read(file) local f = file:readObject(); hidden[1] = function(x) return f(x) end end
    torch.deserialize(torch.serialize(HeldHider()))
    print(hidden[1](2))
    HeldHider = nil"""
    assert lua(source) == "3\n"


def test_functions_false_refuses_functions(lua: Lua, tmp_path: Path) -> None:
    path = tmp_path / "f.t7"
    source = f"""local path = '{path}'
    torch.save(path, {{ plain = 1, hooks = {{ f = function() end }} }})
    print(pcall(torch.load, path, {{ functions = false }}))
    print(pcall(torch.deserialize, torch.serialize(function() end), {{ functions = false }}))
    print(type(torch.load(path, {{ functions = true }}).hooks.f))
    torch.save(path, {{ 1, 'two' }})
    print(torch.load(path, {{ functions = false }})[2])
    print(pcall(torch.load, path, {{ functions = 'no' }}))"""
    lines = lua(source).splitlines()
    assert "there must be no function, as functions = false says, but there is one at .hooks.f" in lines[0]
    assert "there is one at the top" in lines[1]
    assert lines[2:4] == ["function", "two"]
    assert "the option 'functions' must be true or false (got no)" in lines[4]


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
