"""torch.CudaTensor and similar types: memory and results of the types below, with the names of the device."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell import Runtime

Lua = Callable[[str], str]

BELOW = {
    "Cuda": "Float", "CudaDouble": "Double", "CudaLong": "Long", "CudaInt": "Int", "CudaShort": "Short",
    "CudaChar": "Char", "CudaByte": "Byte",
}  # fmt: skip
HEAD = "local x = torch.range(1, 12):view(3, 4):type('torch.%sTensor')\n"

# Each is called on a tensor of the device and on one of the type below; both print the same but for names.
PROGRAMS = [
    "print(x + x, x * 2, x:t() * x)",
    "print(x:sum(), x:sum(1), torch.max(x, 2))",
    "print(x:max(1)) local v, i = x:sort(2, true) print(v, i)",
    "print(x:gt(5), x[x:gt(5)], x:eq(x):sum())",
    "x[x:gt(5)] = 0 x[2] = 7 x[{ {1, 2}, 3 }]:fill(9) print(x)",
    "print(x:index(2, torch.LongTensor{1, 3}), x:gather(1, torch.LongTensor{{1, 2, 3, 1}}))",
    "print(torch.cat({x, x:clone():zero()}, 1), torch.add(x, 3, x), x:narrow(2, 2, 2):contiguous())",
    "local r = x.new() torch.add(r, x, 1) print(r) r:resize(2, 2):fill(3) print(r, r:storage():size())",
    "local r = x.new() r:cmul(x, x) print(r:sum(), x:dot(x))",
    "local y = x:view(12) y:apply(function(v) return v % 5 end) print(x, y:storage() == nil)",
    "x:t():copy(torch.ones(4, 3)) print(x, x:t():isContiguous(), #x, x:stride())",
    "print(x.new(2, 2):fill(1), x.new{1, 2, 3}, x.new(x:storage(), 2, 3), x.new():dim())",
    "print(x:totable()[3][4], x[2][3], x[{2, 3}], x:nElement(), x:isSameSizeAs(x:clone()), x:numel())",
    "print(x:clone():mul(2):csub(x):cdiv(x):sum(), torch.isTensor(x), x:repeatTensor(1, 2))",
    "print(pcall(x.add, x, x.new(5)))",
    "print(pcall(function() return x[7] end))",
]


@pytest.mark.parametrize("title", BELOW)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_device_does_what_the_type_below_does(lua: Lua, title: str, program: str) -> None:
    lua("require 'cutorch'")
    names = sorted(BELOW.items(), key=lambda pair: -len(pair[0]))
    on_device = lua(HEAD % title + program)
    for name, below in names:
        on_device = on_device.replace(f"{name}Tensor", f"{below}Tensor")
    assert on_device == lua(HEAD % BELOW[title] + program)


@pytest.mark.parametrize("title", [*BELOW, "CudaHalf"])
def test_conversions_both_ways(lua: Lua, title: str) -> None:
    method = title[0].lower() + title[1:]
    source = f"""
    require 'cutorch'
    local x = torch.range(1, 6):view(2, 3):t()
    local y = x:{method}()
    print(y:type(), torch.typename(y:storage()), y:double():equal(x), y:{method}() == y)
    print(torch.{title}Tensor(2, 3):copy(x:t()):double():equal(x:t()))
    """
    assert lua(source) == f"torch.{title}Tensor\ttorch.{title}Storage\ttrue\ttrue\ntrue\n"


def test_views_share_memory_across_operations(lua: Lua) -> None:
    source = """
    require 'cutorch'
    local x = torch.CudaTensor(3, 4):zero()
    local row = x[2]
    row:add(1)
    torch.mul(row, row, 5)
    print(x:sum(), torch.pointer(row:storage()) == torch.pointer(x:storage()))
    """
    assert lua(source) == "20\ttrue\n"


def test_indices_and_masks_of_any_type(lua: Lua) -> None:
    source = """
    require 'cutorch'
    local x = torch.range(1, 6):cuda()
    print(x:index(1, torch.CudaTensor{2, 4}):sum(), x:index(1, torch.CudaLongTensor{2, 4}):sum())
    print(x:maskedSelect(torch.CudaTensor{1, 0, 0, 0, 0, 1}):sum())
    print(x[torch.CudaByteTensor{1, 0, 0, 0, 0, 1}]:sum())
    x[torch.CudaTensor{0, 0, 0, 0, 0, 1}] = 100
    print(x:sum(), x:scatter(1, torch.CudaTensor{1}, torch.CudaTensor{-5})[1])
    """
    assert lua(source) == "6\t6\n7\n7\n115\t-5\n"


def test_files_of_the_device_are_read_without_its_package(fresh_lua: Lua, tmp_path: Path) -> None:
    fresh_lua(
        f"""
        require 'cutorch'
        local x = torch.range(1, 4):cuda()
        torch.save('{tmp_path}/x.t7', {{ x, x:narrow(1, 2, 2), torch.CudaLongTensor{{7}} }})
        """
    )
    fresh = Runtime()
    fresh.execute(
        f"t = torch.load('{tmp_path}/x.t7') t[1][2] = 50 "
        "kind, shared, long = t[1]:type(), t[2][1], t[3]:long()[1]"
    )
    found = fresh.globals()
    assert (found["kind"], found["shared"], found["long"]) == ("torch.CudaTensor", 50, 7)


def test_bytes_of_a_file_are_those_of_the_type_below(lua: Lua) -> None:
    source = """
    require 'cutorch'
    local x = torch.range(1, 4)
    local device, below = torch.serialize(x:cuda()), torch.serialize(x:float())
    local renamed = device:gsub('(....)torch.CudaTensor', '\\17\\0\\0\\0torch.FloatTensor')
    renamed = renamed:gsub('(....)torch.CudaStorage', '\\18\\0\\0\\0torch.FloatStorage')
    print(renamed == below)
    """
    assert lua(source) == "true\n"


def test_the_default_type_may_be_of_the_device(fresh_lua: Lua) -> None:
    source = """
    require 'cutorch'
    torch.setdefaulttensortype('torch.CudaTensor')
    print(torch.Tensor(2):type(), torch.zeros(2):type(), torch.rand(2):type(), torch.Tensor{1, 2}:sum())
    """
    assert fresh_lua(source) == "torch.CudaTensor\ttorch.CudaTensor\ttorch.CudaTensor\t3\n"


def test_random_numbers_of_the_device_are_a_stream_of_their_own(fresh_lua: Lua) -> None:
    source = """
    require 'cutorch'
    torch.manualSeed(1) cutorch.manualSeed(1)
    local a = torch.CudaTensor(3):uniform()
    local host = torch.random()
    torch.manualSeed(1) cutorch.manualSeed(1)
    print(host == torch.random(), torch.CudaTensor(3):uniform():equal(a))
    """
    assert fresh_lua(source) == "true\ttrue\n"


@pytest.mark.parametrize("name", ["max", "min", "topk", "sort", "kthvalue", "mode", "median"])
def test_indices_are_written_into_a_tensor_of_any_device_type(lua: Lua, name: str) -> None:
    count = "2, " if name in ("topk", "kthvalue") else ""
    lua("require 'cutorch'")
    program = f"""
    local x = torch.range(1, 12):mul(7):remainder(12):view(3, 4):type('torch.CudaTensor')
    local v, i, none = torch.%s(), torch.%s(), torch.%s()
    local a, b = torch.{name}(v, i, x, {count}2)
    print(rawequal(b, i), i:type())
    x[name](none, i:clone():resize(0), x, {count}2)
    print(v:double(), i:double(), x:double())"""
    program = program.replace("x[name]", f"x.{name}")
    made = lua(program % ("CudaTensor", "CudaTensor", "CudaTensor"))
    assert made.startswith("true\ttorch.CudaTensor\n")
    with_long = lua(program % ("CudaTensor", "CudaLongTensor", "CudaTensor"))
    assert made.partition("\n")[2] == with_long.partition("\n")[2]


def test_a_table_names_the_type_of_a_tensor_of_the_device(lua: Lua) -> None:
    lua("require 'cutorch'")
    assert lua("print{torch.CudaTensor(2, 3)}") == "{\n  1 : CudaTensor - size: 2x3\n}\n"
    assert lua("print{torch.CudaStorage(2)}") == "{\n  1 : CudaStorage - size: 2\n}\n"
