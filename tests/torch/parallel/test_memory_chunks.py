"""Parts of work: cut by sizes alone, computed by any number of states, in any state of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# A package's own kinds of part: `fill` notes where each part begins and ends, and which state computed it.
PARTS = """
local ffi = require 'ffi'
ffi.cdef 'typedef struct { double *values, *from, *to; int32_t fails; } my_filling;'
local parts, mark = {}, package.loaded['t7shell.host'] and 1 or 2
function parts.fill(data, from, to)
   local p = ffi.cast('my_filling *', data)
   for i = from, to - 1 do p.values[i], p.from[i], p.to[i] = mark, from, to end
end
function parts.fail(data, from, to)
   if ffi.cast('my_filling *', data).fails == mark then error 'as asked' end
   parts.fill(data, from, to)
end
return parts
"""

PROGRAM = """
package.path = 'FOLDER/?.lua;' .. package.path
local ffi = require 'ffi'
local share = require 'torch.parallel.parallel_for'
require 'my.parts'
function filling(name, module)
   local run = share.kind(module or 'my.parts', name or 'fill')
   return function(count, unit, work, fails)
      local t = torch.zeros(3, math.max(count, 1))
      local p = ffi.new('my_filling', t[1]:data(), t[2]:data(), t[3]:data(), fails or 0)
      run(count, unit, work, p)
      return t
   end
end
-- Whether a worker computes some of the parts of a job within some time, however busy the machine is.
function helped(fill, seconds)
   local stop = os.time() + (seconds or 30)
   repeat
      if fill(100000, 1, 1e6)[1]:max() == 2 then return true end
   until os.time() > stop
   return false
end
"""


def run(folder: Path, program: str, *, timeout: float = 60) -> tuple[str, str]:
    """The output of a separate process on its two streams."""
    (folder / "my").mkdir(exist_ok=True)
    (folder / "my" / "parts.lua").write_text(PARTS)
    source = PROGRAM.replace("FOLDER", str(folder)) + program
    command = [sys.executable, "-m", "t7shell", "-e", source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    return done.stdout, done.stderr


def test_parts_follow_from_sizes_alone(tmp_path: Path) -> None:
    program = """
    local fill = filling()
    for _, case in ipairs { { 0, 1, 1e6 }, { 1, 1, 1e6 }, { 10, 1, 3999 }, { 10, 1, 4000 }, { 1000, 64, 1e6 },
                            { 130, 64, 1e9 }, { 100003, 7, 1e7 } } do
       local count, same = case[1], true
       torch.setnumthreads(1)
       local expected = fill(unpack(case))
       for _, threads in ipairs { 2, 3, 4, 8 } do
          torch.setnumthreads(threads)
          for _ = 1, 30 do
             local t = fill(unpack(case))
             local equal = t[2]:equal(expected[2]) and t[3]:equal(expected[3])
             same = same and equal and (count == 0 or t[1]:min() > 0)
          end
       end
       local parts = 0
       for i = 1, count do if expected[2][i] == i - 1 then parts = parts + 1 end end
       print(same, parts, count > 0 and expected[3][1] or 0)
    end
    """
    expected = [(0, 0), (1, 1), (1, 10), (2, 5), (16, 64), (3, 64), (64, 1568)]
    lines = "".join(f"true\t{parts}\t{size}\n" for parts, size in expected)
    assert run(tmp_path, program) == (lines, "")


@pytest.mark.parametrize("threads", [2, 3, 4, 8])
def test_workers_compute_parts(tmp_path: Path, threads: int) -> None:
    assert run(tmp_path, f"torch.setnumthreads({threads}) print(helped(filling()))") == ("true\n", "")


def test_one_thread_has_no_workers(tmp_path: Path) -> None:
    program = """
    torch.setnumthreads(1)
    local fill, most = filling(), 0
    for _ = 1, 200 do most = math.max(most, fill(1000, 1, 1e6)[1]:max()) end
    print(most)
    """
    assert run(tmp_path, program) == ("1\n", "")


def test_a_part_that_raises_an_error(tmp_path: Path) -> None:
    """Here it is the program's error; in a worker the result is said to be lost. Later work goes on."""
    program = """
    torch.setnumthreads(2)
    local fail, fill = filling 'fail', filling()
    print(helped(fill))
    print(select(2, pcall(fail, 1000, 1, 1e6, 1)):match 'as asked')
    print(fill(1000, 1, 1e6)[1]:min() > 0, helped(fill))
    local stop, fine, message = os.time() + 30
    repeat fine, message = pcall(fail, 1000, 1, 1e5, 2) until not fine or os.time() > stop
    print(fine or message:match 'a worker thread failed')
    print(fill(1000, 1, 1e6)[1]:max())
    """
    expected = "true\nas asked\ntrue\ttrue\na worker thread failed\n1\n"
    assert run(tmp_path, program) == (expected, "")


def test_a_kind_that_workers_cannot_load(tmp_path: Path) -> None:
    """Its parts are given back, and other kinds are shared as before."""
    program = """
    package.preload['my.other'] = function() return require 'my.parts' end
    torch.setnumthreads(3)
    local fill, other = filling(), filling('fill', 'my.other')
    print(helped(fill), helped(other, 0), other(1000, 1, 1e5)[1]:min(), helped(fill))
    """
    assert run(tmp_path, program) == ("true\tfalse\t1\ttrue\n", "")


def test_workers_sleep_when_idle(tmp_path: Path) -> None:
    """Half a second of waiting costs next to no time of the processor, with eight threads too."""
    program = """
    torch.setnumthreads(8)
    local fill = filling()
    print(helped(fill))
    local before = os.clock()
    os.execute 'sleep 0.5'
    print(os.clock() - before < 0.2)
    print(helped(fill))
    """
    assert run(tmp_path, program) == ("true\ntrue\ntrue\n", "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_starts_workers_of_its_own(tmp_path: Path) -> None:
    program = """
    local ffi = require 'ffi'
    ffi.cdef 'int fork(void); int waitpid(int, int *, int);'
    torch.setnumthreads(4)
    local fill = filling()
    print(helped(fill))
    io.flush()
    local child, status = ffi.C.fork(), ffi.new 'int[1]'
    if child == 0 then os.exit(helped(fill) and 7 or 8) end
    ffi.C.waitpid(child, status, 0)
    print(status[0] / 256, helped(fill))
    """
    assert run(tmp_path, program) == ("true\n7\ttrue\n", "")


@pytest.mark.parametrize("threads", [2, 8])
def test_the_end_of_the_process_waits_for_nobody(tmp_path: Path, threads: int) -> None:
    for ending in ("", "os.exit(0)", "error 'wrong'"):
        program = f"torch.setnumthreads({threads}) local fill = filling() print(helped(fill)) {ending}"
        output, errors = run(tmp_path, program, timeout=20)
        assert output == "true\n"
        assert errors == "" or "wrong" in errors
