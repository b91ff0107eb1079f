"""Ctrl-C, forks, and what thousands of jobs and a hundred pools leave behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
from contextlib import suppress

import pytest

from t7shell import Runtime


def test_ctrl_c_stops_all_threads() -> None:
    with Runtime() as lua:
        lua.execute("pool = require('threads').Threads(2)")
        for job in ("while true do end", "local m = require('threads').Mutex() m:lock() m:lock()"):
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                lua.execute(f"for _ = 1, 9 do pool:addjob(function() {job} end) end pool:synchronize()")
            lua.execute("""
            n = 0
            for i = 1, 9 do pool:addjob(function() return i end, function() n = n + 1 end) end
            pool:synchronize()""")
            assert lua.execute("return n, pool:hasjob()") == (9, False)


def test_a_forked_process_has_no_threads() -> None:
    program = """
from t7shell import Runtime
import os
lua = Runtime()
lua.execute("pool = require('threads').Threads(2) x = torch.ones(2000)")
lua.execute("local x = x pool:addjob(function() return x:sum() end, print) pool:synchronize()")
pid = os.fork()
if pid == 0:
    try:
        lua.execute("pool:addjob(print)")
    except Exception as reason:
        print(reason, flush=True)
    lua.execute("other = require('threads').Threads(1) other:addjob(function() return 'child' end, print)"
                " other:terminate() io.stdout:flush()")
    lua.close()
    os._exit(0)
os.waitpid(pid, 0)
lua.execute("pool:addjob(function() return 'parent' end, print) pool:synchronize()")
lua.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "before the fork" in done.stdout, done.stderr
    assert done.stdout.splitlines()[-2:] == ["child", "parent"]


SOAK = """
local threads = require 'threads'
threads.serialization 'threads.sharedserialize'
math.randomseed(3)
local pool = threads.Threads(2, function() kept = {} end)
local shared, errors, done = torch.zeros(50000), 0, 0
for i = 1, 10000 do
   local size = math.random(1, 20000)
   local x = i % 3 == 0 and torch.Tensor(size):fill(i) or nil
   local function job(k)
      if k % 7 == 0 then error('job ' .. k) end
      if k % 11 == 0 then collectgarbage() end
      shared[k] = k
      if x then kept[k % 5] = x:narrow(1, 1, 1) end
      return k, x and x:sum() == k * size, k % 2 == 0 and torch.FloatTensor(size):fill(1) or nil
   end
   local function add()
      pool:addjob(job, function(k, same, t)
         assert(k == i and (same == nil or same) and (not t or t:sum() == size))
         done = done + 1
      end, i)
      return true
   end
   -- The error of another job may come while this one waits for room.
   while not pcall(add) do errors = errors + 1 end
   if i % 500 == 0 then collectgarbage() end
end
repeat
   local fine, message = pcall(pool.synchronize, pool)
   if not fine then
      assert(message:find 'job %d+', message)
      errors = errors + 1
   end
until fine
print(done, errors, shared:gt(0):sum())
pool:terminate()
"""


def peak_of(source: str) -> list[str]:
    """What a program prints, and the most megabytes that it had."""
    program = (
        f"from t7shell import Runtime\nlua = Runtime(); lua.execute({source!r}); lua.close()\n"
        # Not ru_maxrss, in which the memory of the process that started this one counts.
        "print(next(int(line.split()[1]) // 1024 for line in open('/proc/self/status') if 'VmHWM' in line))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
def test_ten_thousand_jobs_in_bounded_memory() -> None:
    done = peak_of(SOAK)
    counts, megabytes = done
    assert counts == "8572\t1428\t8572"
    assert int(megabytes) < 700


def test_memory_that_one_state_allocates_and_another_frees() -> None:
    """The one that frees kept it, and the one that allocates got new memory."""
    loads = """
    local threads = require 'threads'
    threads.serialization 'threads.sharedserialize'
    local pool = threads.Threads(1)
    local function load(i) return torch.FloatTensor(1000 * (250 + i % 50)):fill(1) end
    for i = 1, 600 do pool:addjob(load, function(x) assert(x:min() == 1) end, i) end
    pool:synchronize()
    print(pool:hasjob())
    """
    assert int(peak_of(loads)[1]) - int(peak_of("print(1)")[1]) < 220


@pytest.mark.slow
def test_a_hundred_pools() -> None:
    before = threading.active_count()
    with Runtime() as lua:
        lua.execute("threads = require 'threads'")
        sizes = []
        for _ in range(5):
            lua.execute("""
            for i = 1, 20 do
               local pool = threads.Threads(2)
               local x = torch.ones(30000)
               for k = 1, 4 do pool:addjob(function() return x:sum(), torch.ones(30000) end, function(s)
                  assert(s == 30000) end) end
               pool:terminate()
            end
            collectgarbage()
            """)
            with open("/proc/self/statm") as file:
                sizes.append(int(file.read().split()[1]) * resource.getpagesize() / 2**20)
        assert threading.active_count() < before + 12
        assert sizes[-1] - sizes[1] < 40, sizes


def first_in_line() -> None:
    """Lets threads that were woken run only where this one waits, if the system permits it."""
    with suppress(AttributeError, PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))


FAILING = {
    "in a job": "pool:addjob(function() error 'in a job' end) pool:synchronize()",
    "outside": "pool:addjob(function() for i = 1, 1e5 do image.pixelLimit() end end) error 'outside'",
}


@pytest.mark.parametrize("where", FAILING)
def test_a_program_that_fails_beside_threads(where: str) -> None:
    program = f"""
    local pool = require('threads').Threads(2, function() require 'image' end)
    {FAILING[where]}"""
    done = subprocess.run(
        [sys.executable, "-m", "t7shell", "-e", program],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=first_in_line,
    )
    assert done.returncode == 1
    assert where in done.stderr


def test_a_pool_outlives_its_engine_and_python() -> None:
    program = """
from t7shell import Runtime
lua = Runtime()
lua.execute("pool = require('threads').Threads(2) pool:addjob(function() for i = 1, 1e8 do end end)")
print("end")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, preexec_fn=first_in_line
    )
    assert (done.returncode, done.stdout) == (0, "end\n")
