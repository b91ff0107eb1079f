"""ipc.map and ipc.workqueue: threads of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from t7shell import LuaError, Runtime

Run = Callable[[str], object]


@pytest.fixture(scope="module")
def runtime() -> Iterator[Runtime]:
    with Runtime() as lua:
        lua.execute("ipc = require 'libipc'")
        yield lua


@pytest.fixture
def run(runtime: Runtime) -> Run:
    return runtime.execute


def test_map_calls_a_function_with_arguments_and_the_number_of_the_thread(run: Run) -> None:
    assert run("return ipc.map(3, function(a, b, i) return a .. b, i end, 'x', 'y'):join()") == (
        "xy", 1, "xy", 2, "xy", 3,
    )  # fmt: skip
    assert run("return (select('#', ipc.map(2, function() return nil, nil end):join()))") == 4
    assert run("local up = 5 return ipc.map(1, function(i) return up + i end):join()") == 6


def test_map_shares_tensors(run: Run) -> None:
    assert run("x = torch.zeros(3) ipc.map(3, function(x, i) x[i] = i end, x):join() return x:sum()") == 6


def test_join_raises_the_first_error_when_all_have_ended(run: Run) -> None:
    with pytest.raises(LuaError, match=r"thread 2.*boom"):
        run("""
        x = torch.zeros(1)
        m = ipc.map(2, function(x, i)
           if i == 2 then error 'boom' end
           for k = 1, 1e7 do x[1] = k end
        end, x)
        m:join()""")
    assert run("return x[1], select('#', m:join())") == (1e7, 0)


def test_done_and_check_errors_do_not_wait(run: Run) -> None:
    run("""
    q = ipc.workqueue 'gate'
    m = ipc.map(2, function(i)
       local q = require('ipc').workqueue 'gate'
       local word = q:read()
       q:close()
       if word == 'fail' then error 'the word was fail' end
       return word
    end)""")
    assert run("m:checkErrors() return m:done()") is False
    assert run("q:write 'go' q:drain() return m:done()") is False
    with pytest.raises(LuaError, match="the word was fail"):
        run("q:write 'fail' while true do m:checkErrors() sys.sleep(0.001) end")
    assert run("while not m:done() do sys.sleep(0.001) end return true") is True
    with pytest.raises(LuaError, match="the word was fail"):
        run("q:close() m:join()")


def test_workers_answer_through_a_queue(run: Run) -> None:
    assert run("""
    local q = ipc.workqueue('squares', 1024)
    local workers = ipc.map(3, function()
       local q = require('ipc').workqueue 'squares'
       local count = 0
       while true do
          local job = q:read()
          if job == nil then break end
          q:write { x = job.x:pow(2), id = job.id }
          count = count + 1
       end
       q:close()
       return count
    end)
    for id = 1, 100 do q:write { x = torch.Tensor{id}, id = id } end
    local sum, ids = 0, {}
    for _ = 1, 100 do
       local answer = q:read()
       sum, ids[answer.id] = sum + answer.x[1], true
    end
    q:write(nil, nil, nil)
    local a, b, c = workers:join()
    local nothing = q:read(true)
    q:close()
    return sum, #ids, a + b + c, nothing""") == (338350, 100, 100, None)


def test_a_queue_keeps_the_order_and_takes_functions(run: Run) -> None:
    assert run("""
    local q, base = ipc.workqueue 'order', 40
    local worker = ipc.map(1, function()
       local q = require('ipc').workqueue 'order'
       local f = q:read()
       for _ = 1, 3 do q:write(f(q:read())) end
    end)
    q:writeup(function(x) return base + x end)
    q:write(1, 2)
    q:write(3)
    worker:join()
    local a, b, c = q:read(), q:read(), q:read()
    q:close()
    return a, b, c""") == (41, 42, 43)


def test_a_name_is_free_when_all_states_let_the_queue_go(run: Run) -> None:
    for _ in range(2):
        assert run("""
        local q = ipc.workqueue 'again'
        local was_empty = q:read(true) == nil
        q:write(1)
        local word = ipc.map(1, function()
           kept = require('ipc').workqueue 'again'
           kept:write('left over')
           return kept:read()
        end):join()
        q:close()
        collectgarbage()
        collectgarbage()
        return was_empty, word""") == (True, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("ipc.map(0, print)", "ipc.map: the number of threads must be a whole number from 1 to 1024"),
        ("ipc.map(2, 5)", "ipc.map: argument 2 must be a function"),
        ("ipc.map(1, print).join {}", "map:join: the threads must be what ipc.map returned"),
        ("ipc.workqueue()", "ipc.workqueue: the name must be a string"),
        ("ipc.workqueue('x', 'y')", "ipc.workqueue: the size must be a number"),
        ("ipc.workqueue('x').read()", "workqueue:read: the queue must be what ipc.workqueue returned"),
        ("local q = ipc.workqueue 'x' q:close() q:write(1)", "workqueue:write: the queue 'x' was closed"),
        ("local q = ipc.workqueue 'x' q:write(coroutine.create(print))", "Unwritable object <thread>"),
    ],
)
def test_wrong_use_is_an_error(run: Run, call: str, message: str) -> None:
    with pytest.raises(LuaError, match=message.replace("(", r"\(")):
        run(call)


def test_ctrl_c_ends_waiting_threads() -> None:
    with Runtime() as lua:
        lua.execute("ipc = require 'ipc' q = ipc.workqueue 'silent'")
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            lua.execute("ipc.map(2, function() require('ipc').workqueue('silent'):read() end):join()")
        assert lua.execute("q:write(1) return ipc.map(1, function(i) return i end):join()") == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_no_queues() -> None:
    program = """
from t7shell import Runtime
import os
lua = Runtime()
lua.execute("q = require('ipc').workqueue 'old'")
pid = os.fork()
if pid == 0:
    try:
        lua.execute("q:read()")
    except Exception as reason:
        print(reason, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert "workqueue:read: the threads of this queue belong to the process before the fork" in done.stdout
