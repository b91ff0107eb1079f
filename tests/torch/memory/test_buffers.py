"""Memory: loops stay within bounds, nothing leaks, and owners on the Python side are let go."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell.bridge.arrays import from_numpy
from t7shell.bridge.runtime import Runtime
from t7shell.engine.engine import Engine

MEGABYTE = 2**20


# Runs a program, and prints its peak and what it gained while the second part ran, in KB.
MEASURE = """
import sys
from t7shell.engine.engine import Engine
def peak():
    # Not ru_maxrss: a process inherits that of the one that started it.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
engine = Engine()
for source in sys.argv[1:]:
    before = peak()
    result = engine.execute(source)
    assert result.ok, result.report()
print(peak(), peak() - before)
"""


linux = pytest.mark.skipif(sys.platform != "linux", reason="sizes are read as on Linux")


def measure(*sources: str) -> tuple[int, int]:
    """Peak of resident memory, and its growth during the last source, in bytes."""
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, *sources], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    peak, growth = run.stdout.split()
    return int(peak) * 1024, int(growth) * 1024


@linux
@pytest.mark.slow
def test_loop_over_large_results_stays_below_a_gigabyte() -> None:
    peak, _ = measure("local x = torch.zeros(2^20) for i = 1, 2000 do local y = x * 2 end")
    assert peak < 1024 * MEGABYTE


@linux
@pytest.mark.slow
def test_large_results_of_many_sizes_stay_below_a_gigabyte() -> None:
    peak, _ = measure("for i = 1, 250 do local y = torch.zeros(2^20 + 1000 * i):fill(1) end")
    assert peak < 1024 * MEGABYTE


@linux
def test_small_views_do_not_leak() -> None:
    loop = "local x = torch.zeros(10, 10) local s = 0 for i = 1, %d do s = s + x[i %% 10 + 1][3] end return s"
    _, growth = measure(loop % 200_000, loop % 1_000_000)
    assert growth < 30 * MEGABYTE


@linux
def test_small_tensors_and_storages_do_not_leak() -> None:
    loop = """
    local x = torch.ones(3)
    for i = 1, %d do local y = x + 1 local s = y:storage() local n = x:narrow(1, 1, 2):size() end
    """
    _, growth = measure(loop % 60_000, loop % 300_000)
    assert growth < 30 * MEGABYTE


@linux
def test_views_of_many_dimensions_do_not_leak() -> None:
    loop = "local x = torch.zeros(1, 2, 1, 2, 1, 2) for i = 1, %d do local y = x:transpose(1, 2) end"
    _, growth = measure(loop % 40_000, loop % 200_000)
    assert growth < 30 * MEGABYTE


@linux
def test_growing_by_one_is_linear() -> None:
    peak, _ = measure("local s = torch.ByteStorage() for i = 1, 3000000 do s:resize(i) s[i] = 1 end")
    assert peak < 200 * MEGABYTE


def test_view_keeps_the_memory_of_what_it_looks_at(engine: Engine) -> None:
    source = """
    local views = {}
    for i = 1, 50 do views[i] = torch.zeros(300, 300):fill(i):t():narrow(1, 2, 5)[3] end
    collectgarbage() collectgarbage()
    for i = 1, 50 do torch.zeros(300, 300):fill(-1) end
    for i = 1, 50 do if views[i]:min() ~= i or views[i]:max() ~= i then return i end end
    return 'kept'
    """
    assert engine.execute(source).values == ["kept"]


@linux
def test_one_collection_frees_large_memory_of_a_dead_view(engine: Engine) -> None:
    source = """
    local function resident()
       return tonumber(io.open('/proc/self/statm'):read('*a'):match('%d+ (%d+)')) * 4096
    end
    local x = torch.zeros(2 ^ 25):fill(1)
    local v = x:narrow(1, 2, 5)
    local before = resident()
    x, v = nil, nil
    collectgarbage()
    return before - resident()
    """
    assert engine.execute(source).values[0] > 250 * MEGABYTE


def test_storage_keeps_the_memory_of_a_tensor(engine: Engine) -> None:
    source = """
    local s = torch.range(1, 5000):storage()
    collectgarbage() collectgarbage()
    torch.zeros(5000):fill(-1)
    return s[1], s[5000]
    """
    assert engine.execute(source).values == [1, 5000]


def test_views_of_a_storage_that_grew_see_each_other(engine: Engine) -> None:
    source = """
    local x = torch.range(1, 4)
    local v = x:narrow(1, 2, 2)
    x:storage():resize(100000)
    x[2] = 20
    collectgarbage()
    return v[1], v[2], x:storage():size()
    """
    assert engine.execute(source).values == [20, 3, 100000]


def test_raw_pointer_survives_growth(engine: Engine) -> None:
    source = """
    local x = torch.range(1, 5000)
    local p = x:data()
    x:storage():resize(200000)
    for i = 1, 20 do torch.zeros(5000):fill(-1) end
    return p[0], p[4999]
    """
    assert engine.execute(source).values == [1, 5000]


def released(make: Callable[[Runtime], weakref.ref[object]]) -> bool:
    """Whether what `make` handed to Lua is gone, once Lua refers to it no more."""
    runtime = Runtime()
    reference = make(runtime)
    gc.collect()
    assert reference() is not None
    runtime.execute("x = nil collectgarbage() collectgarbage() collectgarbage()")
    gc.collect()
    return reference() is None


def test_array_handed_to_lua_is_released() -> None:
    def make(runtime: Runtime) -> weakref.ref[object]:
        array = np.zeros(1000)
        runtime.globals()["x"] = array
        runtime.execute("y = x:narrow(1, 1, 10) x = y y = nil")
        return weakref.ref(array)

    assert released(make)


def test_array_handed_to_lua_lives_as_long_as_a_view(tmp_path: Path) -> None:
    runtime = Runtime()
    runtime.globals()["x"] = np.arange(1000.0)
    runtime.execute("x = x:narrow(1, 500, 2) collectgarbage() collectgarbage()")
    gc.collect()
    noise = [np.full(1000, -1.0) for _ in range(100)]
    assert runtime.eval("x[1] + x[2]") == 499 + 500
    assert len(noise) == 100


def test_tensor_handed_to_python_lives_as_long_as_the_array() -> None:
    runtime = Runtime()
    array = runtime.eval("torch.range(1, 100000)")
    runtime.execute("collectgarbage() collectgarbage() for i = 1, 20 do torch.zeros(100000):fill(-1) end")
    assert array[0] == 1 and array[-1] == 100000


@linux
def test_mapped_file_is_released(tmp_path: Path) -> None:
    name = tmp_path / "numbers"
    np.arange(1000.0).tofile(name)
    runtime = Runtime()
    runtime.execute(f"x = torch.DoubleStorage('{name}', true) x[1] = 7")

    def mapped() -> bool:
        return str(name) in Path("/proc/self/maps").read_text()

    assert mapped()
    runtime.execute("t = torch.DoubleTensor(x):narrow(1, 1, 5) x = nil collectgarbage() collectgarbage()")
    gc.collect()
    assert mapped() and runtime.eval("t[1]") == 7
    runtime.execute("t = nil collectgarbage() collectgarbage() collectgarbage()")
    gc.collect()
    assert not mapped()
    assert np.fromfile(name)[0] == 7


# A small tensor holds its elements itself. Once others look at them, growth must not leave these behind.
@pytest.mark.parametrize(
    "then",
    [
        "x:set()",
        "x:set(torch.LongTensor(2))",
        "x:view(1):storage():resize(300000)",
        "v:storage():resize(300000)",
        "x = nil",
        "torch.LongTensor(x):storage():resize(300000)",
    ],
)
def test_growth_of_a_small_tensor_is_shared(engine: Engine, then: str) -> None:
    source = f"""
    local x = torch.LongTensor{{7}}:clone()
    local v = x:view(1, 1)
    local s = v:storage()
    x:storage():resize(3000):fill(5)
    {then}
    collectgarbage() collectgarbage()
    for i = 1, 10 do torch.LongTensor(3000):fill(-1) torch.LongTensor(300000):fill(-1) end
    return v[1][1], v:storage()[3000], s[3000], s == v:storage()
    """
    assert engine.execute(source).values == [5, 5, 5, True]


def test_views_beyond_the_room_for_their_owners(engine: Engine) -> None:
    """Every third of many views stays, each of a tensor that only the view keeps alive."""
    source = """
    local kept = {}
    for i = 1, 60000 do
       local v = torch.Tensor(2, 3):fill(i)[2]
       if i % 3 == 0 then kept[#kept + 1] = v end
    end
    collectgarbage()
    local wrong = 0
    for k, v in ipairs(kept) do
       if v:sum() ~= 9 * k then wrong = wrong + 1 end
    end
    for k = #kept, 11, -1 do kept[k] = nil end
    collectgarbage()
    for i = 1, 60000 do local _ = torch.Tensor(2, 3):fill(-1)[1] end
    return wrong, kept[1]:sum(), kept[10]:sum()
    """
    assert engine.execute(source).values == [0, 9, 90]


def test_tensor_that_changes_what_it_looks_at_keeps_it(engine: Engine) -> None:
    source = """
    local x = torch.Tensor()
    for i = 1, 9000 do
       x:set(torch.Tensor(5000):fill(i):narrow(1, 2, 3))
       if i % 3000 == 0 then collectgarbage() end
       if x[1] ~= i or x:storageOffset() ~= 2 then return i end
       if i % 5 == 0 then x:set() end
    end
    return 'right'
    """
    assert engine.execute(source).values == ["right"]


@linux
@pytest.mark.slow
def test_blocks_are_freed_with_their_runtime() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    def use() -> None:
        runtime = Runtime()
        runtime.execute(
            "x = torch.zeros(2000, 2000) y = x:t() p = newproxy(true)"
            " getmetatable(p).__gc = function() x:fill(1) z = y:narrow(1, 1, 2):clone() end"
        )

    use()
    gc.collect()
    before = resident()
    for _ in range(8):
        use()
        gc.collect()
    assert resident() - before < 4 * 32e6


@pytest.mark.parametrize("count", [10, 64, 65, 100, 511, 512])
def test_small_memory_made_by_size_is_zero(engine: Engine, count: int) -> None:
    """What documents show of `torch.Tensor(7, 7, 7)`, also where memory was used before."""
    source = f"""
    for i = 1, 50 do torch.Tensor({count}):fill(i) torch.Tensor({count}, 1):fill(i) end
    collectgarbage()
    local most = 0
    for i = 1, 50 do
       local all = {{torch.Tensor({count}), torch.Tensor(1, {count}), torch.Tensor(1, 1, {count}),
          torch.Tensor(torch.Storage({count})), torch.Tensor():resize({count})}}
       for _, x in ipairs(all) do most = math.max(most, x:max(), -x:min()) end
    end
    return most
    """
    assert engine.execute(source).values == [0]


def test_heap_of_small_objects_is_bounded() -> None:
    """By 16 MB, or by what lives, of which a new engine has little."""
    source = """
    local x, most = torch.rand(10, 10), 0
    collectgarbage()
    local before = collectgarbage 'count'
    for i = 1, 60 do
       for _ = 1, 10000 do local y = x:clone() end
       most = math.max(most, collectgarbage 'count')
    end
    return (most - before) / 1024
    """
    assert Engine().execute(source).values[0] < 32


@pytest.mark.parametrize("option", ["setpause", "setstepmul"])
def test_what_a_program_sets_for_the_collector_is_kept(option: str) -> None:
    for first in ("", "torch.zeros(2) "):
        engine = Engine()
        source = f"""
        {first}collectgarbage('{option}', 150)
        local t
        for i = 1, 300000 do t = torch.zeros(3) end
        collectgarbage()
        return collectgarbage('{option}', 200)
        """
        assert engine.execute(source).values == [150]


def test_arrays_live_until_the_last_finalizer() -> None:
    """Userdata are finalized newest first, and the array is one that is newer than the program's."""
    engine = Engine()
    seen: list[float] = []
    lua_globals = engine.lua.globals()
    lua_globals["note"] = seen.append
    engine.execute("local note = note p = newproxy(true) getmetatable(p).__gc = function() note(x:sum()) end")
    array = np.ones(10**6)
    keep_alive = weakref.ref(array)
    lua_globals["x"] = from_numpy(array, engine)
    del array, lua_globals, engine
    gc.collect()
    assert seen == [10**6] and keep_alive() is None


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="malloc of another C library")
def test_memory_that_python_frees_stays_with_the_process() -> None:
    """Without that, each round takes hundreds of pages anew."""
    program = """
import resource
from t7shell.engine.engine import Engine
Engine()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
def use():
    kept = [b"x" * 200_000 for _ in range(16)]
use()
before = faults()
for _ in range(20):
    use()
print(faults() - before)
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 100
