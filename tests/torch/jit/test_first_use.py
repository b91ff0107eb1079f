"""First uses that fail: what failed is undone, and the next use tries again."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are limited by setrlimit")

USES = """
local uses = {
   function() return torch.ones(3):sum() end,
   function() return torch.svd(torch.eye(3)) end,
   function() return torch.sort(torch.rand(10)) end,
   function() return torch.serialize { torch.ones(2) } end,
   function() return torch.IntTensor { 1, 2 }:sum() end,
   function() return torch.einsum('i,i->', torch.ones(2), torch.ones(2)) end,
   function() return torch.Tester() end,
   function() return torch.CmdLine() end,
   function() return torch.ones(2):setNames('a') end,
   function() return require 'nn'.Linear(2, 2):forward(torch.ones(2)) end,
   function() return nn.SpatialConvolution(1, 1, 2, 2):forward(torch.ones(1, 3, 3)) end,
   function() return require 'optim'.sgd(function(x) return 1, x end, torch.ones(2), {}) end,
   function() return require 'image'.scale(torch.rand(3, 4, 4), 2, 2) end,
}
"""

DESCRIPTORS = """
local ffi = require 'ffi'
ffi.cdef 'int setrlimit(int, const unsigned long *);'
local function allow(n) ffi.C.setrlimit(%d, ffi.new('unsigned long[2]', n, 4096)) end
for _, use in ipairs(uses) do
   allow(3)
   local before = pcall(use)
   allow(4096)
   local fine, reason = pcall(use)
   print(before, fine, fine or reason)
end
"""

# An error at an instruction, as a debug hook of a program raises it.
INJECTED = """
for i = #uses, 1, -1 do
   debug.sethook(function()
      debug.sethook()
      error('injected', 0)
   end, '', tonumber(arg[1]))
   pcall(uses[i])
   debug.sethook()
end
"""

LATER = """
for i, use in ipairs(uses) do
   local fine, reason = pcall(use)
   if not fine then print(i, reason) end
end
"""


def test_without_descriptors(t7: Run, tmp_path: Path) -> None:
    import resource

    (tmp_path / "script.lua").write_text(USES + DESCRIPTORS % resource.RLIMIT_NOFILE)
    lines = t7("script.lua", cwd=tmp_path).stdout.splitlines()
    assert [line.split("\t")[1:] for line in lines] == [["true", "true"]] * 13
    assert lines[0].startswith("false")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("instruction", [200, 400, 900, 2000, 7000, 20000])
def test_with_an_error_at_an_instruction(t7: Run, tmp_path: Path, instruction: int) -> None:
    uses = USES.replace("nn.Spatial", "require 'nn'.Spatial")
    (tmp_path / "script.lua").write_text(uses + INJECTED + LATER)
    assert t7("script.lua", str(instruction), cwd=tmp_path).stdout == ""


# An error of a hook at each line of the loader and of the module in turn.
LINES = """
for n = 1, 60 do
   package.loaded.bit32 = nil
   local count = 0
   debug.sethook(function()
      if debug.getinfo(2, 'S').source:find('[/\\\\\\\\]jit[/\\\\\\\\]loader.lua') then count = count + 1 end
      if count == n then
         debug.sethook()
         error('injected', 0)
      end
   end, 'cl')
   pcall(require, 'bit32')
   debug.sethook()
   local fine, why = pcall(require, 'bit32')
   if not fine then print(n, why) end
end
print 'done'
"""


def test_an_error_between_require_and_its_loader(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "script.lua").write_text(LINES)
    assert t7("script.lua", cwd=tmp_path).stdout == "done\n"


def test_a_hook_goes_on_after_a_module_was_loaded(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "script.lua").write_text(
        "local lines = 0 debug.sethook(function() lines = lines + 1 end, 'l')\n"
        "require 'optim'\nlocal before = lines\nlocal x = 1\nx = x + 1\n"
        "print(lines - before >= 2, debug.gethook() ~= nil)"
    )
    assert t7("script.lua", cwd=tmp_path).stdout.split() == ["true", "true"]
