"""Finalizers of programs: when they run, and that they may use tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from tests.conftest import Run


def test_finalizers_may_use_tensors() -> None:
    """A finalizer runs at any allocation, also within an operation."""
    program = """
    local x, wrong = torch.rand(30, 30), 0
    local expected = x:std(1):sum() + x:max(1):sum()
    for i = 1, 4000 do
       getmetatable(newproxy(true)).__gc = function() torch.rand(20, 20):max(1) torch.rand(400):sort() end
       if math.abs(x:clone():std(1):sum() + x:max(1):sum() - expected) > 1e-9 then wrong = wrong + 1 end
    end
    return wrong
    """
    assert Engine().execute(program).values == [0]


@pytest.mark.parametrize(
    "work",
    [
        "torch.mm(x, y)",
        "torch.ByteTensor(1, 1, 1, 1, n):fill(1)",
        "torch.sort(x, 2)",
        "x:t():clone()",
        "torch.cat(x, x, 2)",
        "x:maskedSelect(x:gt(0.5))",
        "torch.conv2(x, torch.ones(2, 2))",
        "torch.inverse(x:narrow(2, 1, 2):narrow(1, 1, 2))",
    ],
)
@pytest.mark.slow
def test_finalizers_wait_for_the_end_of_an_operation(t7: Run, work: str) -> None:
    """Each does the same as the program, with other sizes, in whose working memory it would write."""
    program = f"""
    torch.manualSeed(1)
    local ran = 0
    local function worker(n)
       local x, y = torch.rand(n, 5), torch.rand(5, n)
       return function() return {work} end
    end
    local small, large = worker(3), worker(300)
    local function spawn(i)
       local function finalizer() ran = ran + 1 large() end
       if i % 2 == 0 then return require('ffi').gc(require('ffi').new 'char[1]', finalizer) end
       getmetatable(newproxy(true)).__gc = finalizer
    end
    local expected, wrong = small():clone(), 0
    collectgarbage('setpause', 50)
    for i = 1, 400 do
       if i % 4 == 0 then spawn(i / 4) end
       if not small():equal(expected) then wrong = wrong + 1 end
    end
    collectgarbage()
    print(wrong, ran)
    """
    assert t7("-e", program, timeout=300).stdout == "0\t100\n"


def test_finalizers_run_while_a_program_goes_on(t7: Run) -> None:
    """Nobody collects garbage here; an error in one of them is said, and stops nothing."""
    program = """
    local ran = 0
    local function finalizer() ran = ran + 1 if ran == 7 then error 'seventh' end end
    for i = 1, 100000 do getmetatable(newproxy(true)).__gc = finalizer end
    print(ran > 10000)
    """
    result = t7("-e", program)
    assert result.stdout == "true\n" and "seventh" in result.stderr


def test_finalizers_run_under_a_hook_of_the_program(t7: Run) -> None:
    program = """
    local ran, seen = 0, 0
    local function hook() seen = seen + 1 end
    debug.sethook(hook, '', 100)
    for i = 1, 100000 do getmetatable(newproxy(true)).__gc = function() ran = ran + 1 end end
    print(ran > 10000, seen > 10000, debug.gethook() == hook)
    """
    assert t7("-e", program).stdout == "true\ttrue\ttrue\n"


def test_finalizers_of_proxies_run_once(t7: Run) -> None:
    """LuaJIT keeps a finalized proxy as a weak key until its next collection, and this program for good."""
    program = """
    local kept
    local function finalizer(object) kept = object print 'finalized' end
    local proxy = newproxy(true)
    getmetatable(proxy).__gc = finalizer
    newproxy(proxy)
    proxy = nil
    collectgarbage()
    print(type(kept))
    """
    assert t7("-e", program).stdout == "finalized\nfinalized\nuserdata\n"


def test_finalizers_at_the_end_may_use_tensors(t7: Run, tmp_path: Path) -> None:
    """All memory is there until the last of them is done: LuaJIT finalizes what has a reference, too."""
    program = f"""
    local mapped, grown = torch.DoubleStorage('{tmp_path}/m', true, 70000), torch.ones(4)
    local storage = torch.ones(3):storage()
    grown:resize(50000):fill(2)
    local pointer = storage:data()
    storage:resize(300000)
    torch.rand(2000):sort()
    local function last()
       local made = pcall(newproxy, true)
       collectgarbage()
       print(mapped:fill(3)[70000], grown:sum(), pointer[1], (torch.rand(2000):sort()[1] < 0.1), made)
       for i = 1, 9 do torch.Tensor(1e6):zero() end
    end
    for i = 1, 3 do getmetatable(newproxy(true)).__gc = last end
    """
    result = t7("-e", program)
    line = "3\t100000\t1\ttrue\tfalse\n"
    assert (result.returncode, result.stdout, result.stderr) == (0, 3 * line, "")


def test_finalizers_of_cdata_at_the_end_may_use_tensors(t7: Run) -> None:
    """They go in any order, some before the library knows of the end."""
    program = """
    local ffi = require 'ffi'
    t, guards = torch.Tensor(200000):fill(3), {}
    for i = 1, 30 do
       guards[i] = ffi.gc(ffi.new 'char[1]', function()
          collectgarbage()
          for k = 1, 5 do torch.Tensor(2e6) end
          io.write(t[200000])
       end)
    end
    """
    result = t7("-e", program)
    assert (result.returncode, result.stdout, result.stderr) == (0, 30 * "3", "")


def test_finalizers_at_the_end_may_use_functions_of_python_and_machine_code(t7: Run) -> None:
    """What a finalizer is the first to use is made after its object, and older ones have it as well."""
    program = """
    local ffi = require 'ffi'
    local x, kept = torch.FloatTensor(70, 70):fill(2), {}
    x:mm(x, x):sigmoid()
    local function use() return torch.range(5000, 1, -1):sort()[1] + (x * x):fill(1):exp():sum(1):max() end
    for i = 1, 20 do
       kept[i] = newproxy(true)
       getmetatable(kept[i]).__gc = function() io.write(i, use() > 1 and ' ' or '?') end
       kept[-i] = ffi.gc(ffi.new 'char[1]', function() assert(use() > 1) end)
    end
    kept[21] = newproxy(kept[20])
    """
    result = t7("-e", program)
    expected = "20 " + "".join(f"{i} " for i in range(20, 0, -1))
    assert (result.returncode, result.stdout, result.stderr) == (0, expected, "")


FIRST_USES = [
    "torch.exp(torch.FloatTensor(1000):fill(0)):sum()",
    "(torch.ones(100, 100) * torch.ones(100, 100)):sum()",
    "torch.sort(torch.ones(500)):sum()",
    "torch.sum(torch.ones(40, 50), 1):sum()",
    "require('nn').SpatialConvolution(3, 8, 3, 3):forward(torch.ones(3, 20, 20)):nElement()",
    "require('nn').BatchNormalization(3):forward(torch.ones(4, 3)):nElement()",
    "require('nn').SpatialMaxPooling(2, 2):forward(torch.ones(3, 20, 20)):nElement()",
]


@pytest.mark.parametrize("owner", ["userdata", "cdata"])
def test_first_uses_in_a_finalizer_at_the_end(t7: Run, owner: str) -> None:
    """The library's code loads there, although LuaJIT refuses to change the modes of its compiler."""
    uses = "\n".join(f"print({use})" for use in FIRST_USES)
    make = {
        "userdata": "kept = newproxy(true) getmetatable(kept).__gc = finish",
        "cdata": "kept = require('ffi').gc(require('ffi').new 'int[1]', finish)",
    }[owner]
    done = t7("-e", f"function finish() {uses} end {make}")
    assert done.stderr == ""
    assert done.stdout.split() == ["1000", "1000000", "500", "2000", "2592", "12", "300"]
