"""The heap of Lua keeps its pages: counted as the faults of the process."""

from __future__ import annotations

from tests.conftest import Run

PROGRAM = """
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
    assert t7("-e", PROGRAM).stdout == "true\n"
