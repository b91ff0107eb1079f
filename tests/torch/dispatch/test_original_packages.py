"""Packages that a program brings in place of ours do not see methods that the last Torch7 lacked."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Run

PACKAGE = """
local unsup = {}
-- An object in front of a tensor, with a method of a name that the tensor has here.
local object = {}
object.__index = function(self, key)
   local tensor = rawget(self, 'tensor')
   if tensor[key] ~= nil then return function(_, ...) return tensor[key](tensor, ...) end end
   return object[key]
end
function object.flatten() return 'its own' end
function unsup.wrap(tensor) return setmetatable({tensor = tensor}, object) end
function unsup.listed()
   for name in pairs(torch.getmetatable('torch.DoubleTensor')) do
      if name == 'flatten' then return true end
   end
   return false
end
return unsup
"""


def test_methods_that_torch7_lacked(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "unsup").mkdir()
    (tmp_path / "unsup" / "init.lua").write_text(PACKAGE)
    program = tmp_path / "main.lua"
    program.write_text(
        "x = torch.ones(2, 2)\n"
        "print(x:flatten():size(1))\n"
        "unsup = require 'unsup'\n"
        "w = unsup.wrap(x)\n"
        "print(w:flatten(), w:sum(), unsup.listed())\n"
        # The program itself goes on to see them.
        "print(x:flatten():size(1), x.item ~= nil)\n"
    )
    done = t7(str(program), env={"LUA_PATH": f"{tmp_path}/?/init.lua;;"})
    assert done.stdout == "4\nits own\t4\tfalse\n4\ttrue\n", done.stderr
