"""The small objects of Lua in arenas: counted as page faults and address space of the process."""

from __future__ import annotations

import gc
import resource
import sys
from pathlib import Path

import pytest

from t7shell.engine.luajit import new_state
from tests.conftest import Run

FAULTS = """
local ffi = require 'ffi'
ffi.cdef [[
struct t7_test_usage { long times[4], peak, unused[3], minor, others[16]; };
int getrusage(int who, struct t7_test_usage *usage);
]]
local usage = ffi.new 'struct t7_test_usage'
local function faults()
   ffi.C.getrusage(0, usage)
   return tonumber(usage.minor)
end
torch.setnumthreads(1)
local a, b = torch.rand(10, 10), torch.rand(10, 10)
local function make() for _ = 1, 100000 do local c = a + b end end
make()
local before = faults()
make() make()
print(faults() - before < 1500)
"""


def test_small_tensors_use_the_pages_of_those_before(t7: Run) -> None:
    assert t7("-e", FAULTS).stdout == "true\n"


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_closed_state_returns_its_arenas() -> None:
    def use() -> None:
        lua = new_state()
        size = lua.execute("local kept = {} for i = 1, 1e5 do kept[i] = {i} end return #kept")
        assert size == 100000
        del lua
        gc.collect()

    use()
    before = _address_space()
    for _ in range(8):
        use()
    assert _address_space() - before < 2**26


def test_a_program_that_fills_all_arenas_goes_on(t7: Run) -> None:
    program = (
        "local kept = {} for i = 1, 1e6 do kept[i] = {i, tostring(i)} end"
        " for i = 1, 1e6, 1000 do assert(kept[i][1] == i and kept[i][2] == tostring(i)) end"
        " kept = nil collectgarbage() local x = torch.ones(10)"
        " for _ = 1, 1e5 do x = x * 1 end print(x:sum(), collectgarbage 'count' < 1e5)"
    )
    assert t7("-e", program).stdout == "10\ttrue\n"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_objects_that_stay_among_others_leave_their_arenas_usable(t7: Run) -> None:
    program = (
        "local x, kept = torch.ones(10), {}"
        " for i = 1, 1e6 do local y = x + i if i % 64 == 0 then kept[#kept + 1] = y end end"
        " for i = 1, #kept do assert(kept[i][1] == 64 * i + 1 and kept[i][10] == 64 * i + 1) end"
        " print(tonumber(io.open('/proc/self/status'):read('*a'):match('VmHWM:%s+(%d+)')) < 8e4)"
    )
    assert t7("-e", program).stdout == "true\n"
