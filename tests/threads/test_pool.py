"""Pools: jobs, their results, errors, and the life of threads."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from t7shell import LuaError, Runtime

from ..conftest import run_t7
from .conftest import Run


def test_results_come_to_the_function_of_the_job(run: Run) -> None:
    out = run("""
    local sum, ids = 0, {}
    for i = 1, 10 do
       pool:addjob(function(a, b) return a * b, nil, __threadid, __threadn end, function(product, none, id, n)
          assert(none == nil and n == 2)
          sum, ids[id] = sum + product, true
       end, i, 2)
    end
    pool:synchronize()
    print(sum, pool:hasjob(), pool:haserror(), next(ids) ~= nil)
    """)
    assert out == "110\tfalse\tfalse\ttrue\n"


def test_functions_before_all_jobs(runtime: Runtime) -> None:
    with runtime.captured() as out:
        runtime.execute("""
        local made = threads.Threads(3, function(i) base = 10 * i end, function(i) return base + i, 'x' end)
        local pool, results = threads.Threads(2, function() end, function(i) return i, nil, 3 end)
        made:specific(true)
        for i = 3, 1, -1 do made:addjob(i, function() return base end, function(b) print(i, b) end)
           made:synchronize() end
        print(made:specific(), results[1][1], results[2][1], results[2][3], base)
        made:terminate() pool:terminate()
        """)
    assert out.getvalue() == "3\t30\n2\t20\n1\t10\ntrue\t1\t2\t3\tnil\n"


def test_an_error_of_the_first_functions_ends_the_pool(runtime: Runtime) -> None:
    with pytest.raises(LuaError, match=r"\[thread \d callback\] .*broken"):
        runtime.execute("threads.Threads(2, function() error 'broken' end)")


def test_errors_of_jobs_have_their_own_traceback(run: Run) -> None:
    out = run("""
    local done = {}
    local function inner(x) return x.field.field end
    pool:addjob(function() local x = inner({}) return x end)
    for i = 1, 1 do pool:addjob(function() return i end, function(v) done[#done + 1] = v end) end
    local errors = 0
    repeat
       local fine, message = pcall(pool.synchronize, pool)
       if not fine then errors = errors + 1 print(message, pool:haserror()) end
    until fine
    print(errors, #done, pool:haserror())
    """)
    message = r"\[thread [12] callback\] .*attempt to index field 'field' \(a nil value\)\n"
    assert re.match(message + r"stack traceback:\n\t.*inner", out)
    assert out.endswith("1\t1\tfalse\n")


def test_an_error_of_the_function_of_results(run: Run) -> None:
    out = run("""
    pool:addjob(function() return 1 end, function() error { 'x' } end)
    print(pcall(pool.dojob, pool))
    pool:addjob(function() end, function() local missing = nil; missing() end)
    local _, message = pcall(pool.dojob, pool)
    print(message:match '^%[thread %d endcallback%]', message:match 'attempt to call', pool:hasjob())
    """)
    assert out.startswith("false\t[thread ")
    assert re.search(r"\[thread [12] endcallback\]\tattempt to call\tfalse\n$", out)


def test_what_cannot_cross(run: Run) -> None:
    out = run("""
    print(pcall(pool.addjob, pool, function() end, nil, coroutine.create(function() end)))
    pool:addjob(function() return coroutine.create(function() end) end)
    print(pcall(pool.synchronize, pool))
    torch.class('OnlyHere')
    pool:addjob(function(x) return x end, nil, OnlyHere())
    print(pcall(pool.synchronize, pool))
    pool:addjob(function() return 1 end, function(v) print('then', v) end)
    pool:synchronize()
    """)
    assert "Unwritable object <thread>" in out and "result: " in out
    assert "OnlyHere" in out and out.endswith("then\t1\n")


def test_a_queue_has_room_for_as_many_jobs_as_threads(run: Run) -> None:
    out = run("""
    local mutex = threads.Mutex()
    mutex:lock()
    local taken = threads.AtomicCounter()
    local function wait() taken:inc() mutex:lock() mutex:unlock() end
    pool:addjob(wait) pool:addjob(wait)
    while taken:get() < 2 do sys.sleep(0.001) end
    print(pool:acceptsjob())
    pool:addjob(wait) pool:addjob(wait)
    print(pool:acceptsjob(), pool:hasjob())
    mutex:unlock()
    pool:synchronize()
    print(pool:acceptsjob(), taken:get())
    """)
    assert out == "true\nfalse\ttrue\ntrue\t4\n"


def test_a_full_queue_has_results_taken(run: Run) -> None:
    # Jobs 2 and 3 keep both threads until the result of job 1 was taken, and jobs 4 and 5 fill the queue.
    out = run("""
    local taken = threads.AtomicCounter()
    pool:addjob(function() end, function() taken:inc() end)
    local function count(one) taken:inc(one) end
    local sys = require 'sys'
    local function wait()
       while taken:get() == 0 do sys.sleep(0.001) end
       return 1
    end
    for i = 2, 5 do pool:addjob(wait, count) end
    pool:addjob(function() return 1 end, count)
    print(taken:get() > 0)
    pool:synchronize()
    print(taken:get())
    """)
    assert out == "true\n6\n"


def test_addjob_does_not_wait_for_a_job_that_a_thread_was_woken_for(run: Run) -> None:
    """The queue was full until it was awake, and the result was waited for: the thread had no next job."""
    out = run("""
    local alone, added = threads.Threads(1), threads.AtomicCounter()
    local sys = require 'sys'
    for _ = 1, 3 do
       sys.sleep(0.05)
       alone:addjob(function()
          local begun = sys.clock()
          while added:get() == 0 and sys.clock() - begun < 20 do sys.sleep(0.001) end
          return added:get()
       end, print)
       alone:addjob(function() end)
       added:inc()
       alone:synchronize()
       added:dec()
    end
    alone:terminate()
    """)
    assert out == "1\n1\n1\n"


def test_jobs_that_add_jobs_from_their_function(run: Run) -> None:
    out = run("""
    local count = 0
    local function add() pool:addjob(function() return 1 end, function() count = count + 1 if count < 20
       then add() end end) end
    add()
    pool:synchronize()
    print(count)
    """)
    assert out == "20\n"


def test_wrong_use_is_an_error(run: Run) -> None:
    out = run("""
    for _, f in ipairs {
       function() pool:addjob(1) end, function() pool:addjob(print, 1) end, function() pool.addjob(1, print)
          end,
       function() threads.Threads(0) end, function() threads.Threads(2, 3) end, function()
          threads.Threads('x') end,
       function() pool:dojob() end, function() pool:specific(3) end,
       function() threads.serialization('no.such') end, function() pool:specific(true) pool:addjob(print) end,
       function() pool:addjob(3, print) end, function() pool:addjob(0 / 0, print) end,
       function() pool:acceptsjob() end, function() pool:terminate() pool:addjob(1, print) end,
       function() pool:dojob() end, function() pool:acceptsjob(1) end,
    } do print((select(2, pcall(f)))) end
    print(pool:isrunning(), pool:hasjob(), pool:synchronize(), pool:terminate())
    """)
    lines = out.splitlines()
    assert len(lines) == 17 and all(line != "nil" for line in lines), out
    assert "the pool was terminated" in lines[13] and "there are no jobs" in lines[6]
    assert lines[16] == "false\tfalse\tnil"


def test_a_callback_that_yields(run: Run) -> None:
    out = run("""
    pool:addjob(function() coroutine.yield() end)
    print(pcall(pool.synchronize, pool))
    """)
    assert "attempt to yield" in out


def test_globals_and_random_numbers_are_of_the_thread(run: Run) -> None:
    out = run("""
    torch.manualSeed(1)
    other = 5
    pool:specific(true)
    for i = 1, 2 do pool:addjob(i, function() torch.manualSeed(3) mine = __threadid return other end, print)
       end
    pool:synchronize()
    local a, b
    pool:addjob(1, function() return mine, torch.uniform() end, function(...) a = {...} end)
    pool:addjob(2, function() return mine, torch.uniform() end, function(...) b = {...} end)
    pool:synchronize()
    print(a[1], b[1], a[2] == b[2], mine, torch.initialSeed())
    pool:addjob(1, function() return torch.getnumthreads() end, print)
    pool:synchronize()
    """)
    assert out == "nil\nnil\n1\t2\ttrue\tnil\t1\n1\n"


def test_print_of_jobs_goes_where_that_of_the_program_goes(run: Run) -> None:
    job = "function() print('a', 1) io.write 'b' end"
    assert run(f"pool:addjob({job}, print, 1) pool:synchronize()") == "a\t1\nb\n"


def test_pools_are_ended_by_the_collector(runtime: Runtime) -> None:
    runtime.execute("""
    do local pool = threads.Threads(1) pool:addjob(function() return 3 end, function(v) got = v end) end
    collectgarbage() collectgarbage()
    """)
    assert runtime.globals["got"] == 3


def test_the_end_of_a_program_waits_for_jobs() -> None:
    done = run_t7("-e", "t = require 'threads' p = t(2) p:addjob(function() return 'last' end, print)")
    assert (done.stdout, done.stderr, done.returncode) == ("last\n", "", 0)
    done = run_t7("-e", "t = require 'threads' p = t(2) p:addjob(function() error 'late' end)")
    told = r"\$ Warning: an unfinished job: \[thread \d callback\] \(command line\):1: late"
    assert re.match(told, done.stderr)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="the threads of the process are counted by /proc")
def test_pools_without_a_reference_are_ended() -> None:
    program = """
    local threads = require 'threads'
    local function count()
       return tonumber(io.open('/proc/self/status'):read('*a'):match('Threads:%s*(%d+)'))
    end
    local kept, before, most = threads.Threads(1), count(), 0
    for i = 1, 12 do
       threads.Threads(1, function() end)
       most = math.max(most, count() - before)
    end
    kept:addjob(function() return 'kept' end, print)
    kept:synchronize()
    print(most)"""
    kept, most = run_t7("-e", program).stdout.split()
    assert kept == "kept" and int(most) <= 5


def test_exit_in_a_job_ends_the_process() -> None:
    job = "function() print 'x' os.exit(3) end"
    done = run_t7("-e", f"p = require('threads')(2) p:addjob({job}) p:synchronize() print 'no'")
    assert (done.stdout, done.returncode) == ("x\n", 3)


def test_pools_of_two_runtimes() -> None:
    with Runtime() as one, Runtime("th") as two:
        for lua in (one, two):
            lua.execute("threads = require 'threads' pool = threads.Threads(2)")
        for lua in (one, two, one):
            lua.execute("pool:addjob(function() return torch.dialect() end, function(d) name = d end)")
        for lua in (one, two):
            lua.execute("pool:synchronize()")
        assert (one.globals["name"], two.globals["name"]) == ("t7", "th")


def test_the_package_is_the_class(runtime: Runtime) -> None:
    """Programs of the first years called it so."""
    assert runtime.eval("threads.serialization == threads.Threads.serialization")
    runtime.execute("p = threads(1) before = p:isrunning() p:terminate()")
    assert runtime.execute("return before, p:isrunning()") == (True, False)
    names = (
        "__gc __serialize acceptsjob addjob dojob haserror hasjob isrunning new serialization specific"
        " synchronize terminate"
    )
    for name in names.split():
        assert runtime.eval(f"rawget(threads.Threads, '{name}') ~= nil"), name


def test_modules_and_functions_of_the_library_cross_by_name(run: Run) -> None:
    out = run("""
    local image, floor, Float, T = require 'image', math.floor, torch.FloatTensor, torch
    local g = _G
    pool:addjob(function(x)
       return torch.type(Float(2)), floor(2.5), image.scale(torch.ones(1, 4, 4), 2, 2):sum(), T == torch, g
          == _G, x == nn.Linear
    end, print, (require 'nn').Linear)
    pool:synchronize()
    """)
    assert out == "torch.FloatTensor\t2\t4\ttrue\ttrue\ttrue\n"


def test_functions_with_common_upvalues(run: Run) -> None:
    out = run("""
    local count, name = 0, 'n'
    local function inc() count = count + 1 return count end
    local function get() return count, name end
    pool:addjob(function() inc() inc() return get() end, print)
    pool:synchronize()
    print(count)
    """)
    assert out == "2\tn\n0\n"


def test_classes_of_the_first_function(runtime: Runtime) -> None:
    with runtime.captured() as out:
        runtime.execute("""
        local function define()
           local Counter = torch.class('ThreadCounter')
           function Counter:__init(n) self.n = n end
           function Counter:add(k) self.n = self.n + k return self end
        end
        define()
        local pool = threads.Threads(2, define)
        local c = ThreadCounter(3)
        pool:addjob(function(k) return c:add(k), ThreadCounter(1) end, function(a, b)
           print(torch.type(a), a.n, b:add(1).n)
        end, 4)
        pool:synchronize()
        print(c.n)
        pool:terminate()
        """)
    assert out.getvalue() == "ThreadCounter\t7\t2\n3\n"


def test_schemes(runtime: Runtime, tmp_path: Path) -> None:
    (tmp_path / "my_scheme.lua").write_text("""
    return {
       save = function(values) values.saved = true return torch.serialize(values) end,
       load = function(bytes) local values = torch.deserialize(bytes) assert(values.saved) return values end,
    }""")
    with runtime.captured() as out:
        runtime.execute(f"""
        package.path = '{tmp_path}/?.lua;' .. package.path
        threads.serialization 'my_scheme'
        local pool, x = threads.Threads(1), torch.ones(3)
        pool:addjob(function(y, z) x:fill(5) return x, z end, function(y, z) print(y[1], z, x[1]) end, nil, 4)
        pool:synchronize()
        pool:terminate()
        print(threads.serialization())
        threads.serialization 'threads.serialize'
        """)
    assert out.getvalue() == "5\t4\t1\nmy_scheme\n"


def test_jobs_that_wait_for_each_other_run_at_the_same_time(run: Run) -> None:
    # The second thread sleeps while the first one waits in a loop, or works. A job that sleeps is work as
    # well, and leaves the core to the thread that it waits for, where other programs need it too.
    assert (
        run("""
    local counter = threads.AtomicCounter()
    local id, sys = counter:id(), require 'sys'
    local function meet(number)
       local counter = require('threads').AtomicCounter(id)
       counter:inc()
       while counter:get() < 2 * number do sys.sleep(0.001) end
    end
    for number = 1, 50 do
       if number % 10 == 0 then sys.sleep(0.02) end
       pool:addjob(meet, nil, number)
       pool:addjob(meet, nil, number)
       pool:synchronize()
    end
    print(counter:get())""")
        == "100\n"
    )


def test_a_single_thread_wakes_the_main_one() -> None:
    program = """
    local clib = require 'libthreads'
    local mutex, condition = clib.Mutex(), clib.Condition()
    local text = string.format([[
       local clib = require 'libthreads'
       local mutex, condition = clib.Mutex(%d), clib.Condition(%d)
       mutex:lock()
       print('in the thread')
       condition:signal()
       mutex:unlock()]], mutex:id(), condition:id())
    mutex:lock()
    local thread = clib.Thread(text)
    condition:wait(mutex)
    mutex:unlock()
    thread:free() condition:free() mutex:free()
    print 'after it'
    """
    done = run_t7("-e", program)
    assert (done.stdout, done.stderr) == ("in the thread\nafter it\n", "")


@pytest.mark.parametrize("name", ["breakpoint", "debugger"])
def test_breakpoints_in_jobs_are_errors(run: Run, name: str) -> None:
    """Several threads would ask at once. The pool goes on."""
    out = run(f"""
    pool:addjob(function() {name}() end)
    print(select(2, pcall(pool.synchronize, pool)))
    pool:addjob(function() return 7 end, print)
    pool:synchronize()
    print(pcall(threads.Thread, '{name}()'))
    """)
    assert f"{name}: the debugger cannot stop in a thread; call the function in the main program" in out
    assert "\n7\n" in out
