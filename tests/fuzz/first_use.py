"""First uses that fail: python first_use.py <first> <last>

Number i depends on i alone: which function is used first, and what goes wrong meanwhile: no
descriptors, little memory, an error at an instruction, or Ctrl-C. What was used is then used again, and
so are the others. Each runs in a separate process, a copy of one that has not used anything. Prints a line
for each that does not work again.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import threading
from pathlib import Path

from t7shell.engine.engine import Engine

USES = """
uses = {
   function() return torch.ones(3):sum() end,
   function() return torch.svd(torch.eye(3)) end,
   function() return torch.sort(torch.rand(10)) end,
   function() return torch.serialize { torch.ones(2) } end,
   function() return torch.IntTensor { 1, 2 }:sum() end,
   function() return torch.HalfTensor { 1, 2 }:sum() end,
   function() return torch.einsum('i,i->', torch.ones(2), torch.ones(2)) end,
   function() return torch.Tester() end,
   function() return torch.CmdLine() end,
   function() return torch.ones(2):setNames('a') end,
   function() return torch.Generator() end,
   function() return tostring(torch.ones(2, 2)) end,
   function() return require 'nn'.Linear(2, 2):forward(torch.ones(2)) end,
   function() return require 'nn'.SpatialConvolution(1, 1, 2, 2):forward(torch.ones(1, 3, 3)) end,
   function() return require 'nn'.SpatialMaxPooling(2, 2):forward(torch.ones(1, 4, 4)) end,
   function() return require 'nn'.ClassNLLCriterion():forward(torch.ones(2), 1) end,
   function() return require 'nn'.Sequential():add(require 'nn'.Tanh()):forward(torch.ones(2)) end,
   function() return require 'nngraph' end,
   function() require 'rnn' return nn.LSTM(2, 2):forward(torch.ones(1, 2)) end,
   function() return require 'optim'.sgd(function(x) return 1, x end, torch.ones(2), {}) end,
   function() return require 'image'.scale(torch.rand(3, 4, 4), 2, 2) end,
   function() return require 'image'.rgb2hsv(torch.rand(3, 4, 4)) end,
   function() return require 'tds'.Vec(1, 2) end,
   function() return require 'cjson'.encode { 1 } end,
   function() return require 'paths'.cwd() end,
   function() return require 'pl.List' { 1, 2 } end,
   function() return require 'threads'.Mutex end,
   function() return (require 'autograd'(function(x) return torch.sum(x) end)(torch.ones(2))) end,
}
function use(i)
   local fine, reason = pcall(uses[i])
   return fine or tostring(reason)
end
local ffi = require 'ffi'
ffi.cdef 'int setrlimit(int, const unsigned long *);'
function use_limited(i, limit, amount, soft, hard)
   local small, all = ffi.new('unsigned long[2]', amount, hard), ffi.new('unsigned long[2]', soft, hard)
   local setrlimit = ffi.C.setrlimit
   setrlimit(limit, small)
   pcall(uses[i])
   setrlimit(limit, all)
end
function use_with_error(i, instruction)
   debug.sethook(function()
      debug.sethook()
      error('injected', 0)
   end, '', instruction)
   pcall(uses[i])
   debug.sethook()
end
"""

KINDS = ["error", "error", "error", "descriptors", "memory", "interrupt"]


def _memory() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _fail(engine: Engine, kind: str, which: int, chance: random.Random) -> None:
    if kind == "error":
        instruction = int(2 ** chance.uniform(0, 16))
        engine.execute(f"use_with_error({which}, {instruction})", "=first")
        return
    if kind == "interrupt":
        delay = 10 ** chance.uniform(-5, -1.3)
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        try:
            timer.start()
            engine.execute(f"use({which})", "=first")
            timer.cancel()
            timer.join()
        except KeyboardInterrupt:
            pass
        return
    limit = resource.RLIMIT_NOFILE if kind == "descriptors" else resource.RLIMIT_AS
    soft, hard = resource.getrlimit(limit)
    amount = 3 if kind == "descriptors" else _memory() + int(2 ** chance.uniform(10, 24))
    soft, hard = (2**53 if value == resource.RLIM_INFINITY else value for value in (soft, hard))
    engine.execute(f"use_limited({which}, {limit}, {amount}, {soft}, {hard})", "=first")


def _one(engine: Engine, number: int) -> str | None:
    """What does not work after a failure; runs in the copy."""
    chance = random.Random(number)
    count = USES.count("\n   function()")
    kind, which = chance.choice(KINDS), chance.randint(1, count)
    _fail(engine, kind, which, chance)
    for again in (which, *range(1, count + 1)):
        for _ in range(3):
            # An interrupt may still have been on its way.
            try:
                done = engine.execute(f"told = use({again})", "=again")
                break
            except KeyboardInterrupt:
                pass
        told = engine.lua.globals()["told"] if done.ok else done.message
        if told is not True and not (kind == "interrupt" and "interrupt" in str(told)):
            return f"{number} {kind} of use {which}: use {again}: {str(told)[:300]}"
    return None


def main(first: int, last: int) -> None:
    engine = Engine()
    assert engine.execute(USES, "=uses").ok
    for number in range(first, last + 1):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            told = _one(engine, number)
            if told:
                print(told, flush=True)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        if status != 0:
            print(number, "ended with", os.waitstatus_to_exitcode(status), flush=True)
    print(last - first + 1, "first uses")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
