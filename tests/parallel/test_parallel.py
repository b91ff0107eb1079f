"""Processes of the package `parallel`: values, functions, errors and their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..conftest import Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs sockets that processes inherit")

HEAD = "require 'parallel'\n"


def output(t7: Run, source: str, tmp_path: Path) -> str:
    done = t7("-e", HEAD + source, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_the_program_of_its_manual(t7: Run, tmp_path: Path) -> None:
    source = """
    local torch = require 'torch'
    local factor, offsets = 2, { 10, 20 }
    local function scaled(x) return x * factor end
    local function worker()
       while true do
          if parallel.yield() == 'break' then break end
          local t = parallel.parent:receive()
          parallel.parent:send({ torch.sum(scaled(t.data)) + offsets[parallel.id], t.name })
       end
       parallel.print('ends')
    end
    local function parent()
       local made = parallel.nfork(2)
       print(#made, #parallel.children, parallel.id, parallel.children[2].id)
       parallel.children:exec(worker)
       for i = 1, 20 do
          parallel.children:join()
          parallel.children:send { data = torch.ones(100, i), name = 'n' .. i }
          local replies = parallel.children:receive()
          assert(replies[1][1] == 200 * i + 10 and replies[2][1] == 200 * i + 20)
          assert(replies[2][2] == 'n' .. i)
       end
       parallel.children:join 'break'
       parallel.children:sync()
       return 'done', nil, 3
    end
    print(parallel.run(parent))
    print(#parallel.children)
    """
    lines = output(t7, source, tmp_path).splitlines()
    # What the parent prints may stay in its buffer until the children have ended.
    assert sorted(lines[:3]) == ["2\t2\t0\t2", "<parallel#001> ends", "<parallel#002> ends"]
    assert lines[3:] == ["done\tnil\t3", "0"]


def test_values_of_all_kinds(t7: Run, tmp_path: Path) -> None:
    source = """
    local child = parallel.fork()
    child:exec [[ while true do
       local x = parallel.parent:receive()
       if x == 'end' then break end
       parallel.parent:send(x)
    end ]]
    local function back(x) child:send(x) return child:receive() end
    for _, kind in ipairs { 'Double', 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
       local x = torch.range(1, 6):view(2, 3):type('torch.' .. kind .. 'Tensor'):t()
       local y = back(x)
       assert(torch.type(y) == torch.type(x) and y:double():equal(x:double()))
    end
    assert(back(torch.Tensor()):dim() == 0 and back(torch.ones(1, 2, 1, 2, 1, 2)):sum() == 8)
    assert(back(5) == 5 and back(false) == false and back('a\\0\\255') == 'a\\0\\255' and back(nil) == nil)
    local cycle = { 1 }
    cycle.me = cycle
    local same = back(cycle)
    assert(same.me == same and same[1] == 1)
    assert(back(torch.IntStorage{4, 5})[2] == 5)
    assert(child:receive(true) == nil)
    child:send 'end'
    child:exec(function() error { code = 7 } end)
    print(pcall(child.sync, child))
    """
    assert "table" in output(t7, source, tmp_path)


def test_large_messages_both_ways_do_not_wait_for_each_other(t7: Run, tmp_path: Path) -> None:
    source = """
    local child = parallel.fork()
    child:exec(function()
       for i = 1, 4 do parallel.parent:send(torch.Tensor(10^6):fill(i)) end
       for i = 1, 4 do assert(parallel.parent:receive()[10^6] == i) end
       parallel.parent:send 'all'
    end)
    for i = 1, 4 do child:send(torch.Tensor(10^6):fill(i)) end
    for i = 1, 4 do assert(child:receive():sum() == i * 10^6) end
    print(child:receive())
    """
    assert output(t7, source, tmp_path) == "all\n"


def test_errors_arrive_with_their_tracebacks(t7: Run, tmp_path: Path) -> None:
    source = """
    local child, other = parallel.fork(), parallel.fork()
    child:exec(function() local function deep() torch.ones(2):add(torch.ones(3)) end deep() end)
    local fine, why = pcall(function() return child:receive() end)
    print(why)
    print(pcall(function() child:join() end))
    other:exec(function() parallel.parent:send 'still there' end)
    print(other:receive(), child:running(), other:running())
    other:exec 'x = = 1'
    print(pcall(function() other:sync() end))
    print(pcall(parallel.run, function() parallel.fork() error 'of the parent' end))
    """
    text = output(t7, source, tmp_path)
    assert "parallel: child 1: (command line):4: add: inconsistent tensor sizes: [2] of 2 elements" in text
    assert "in function 'deep'" in text
    assert "parallel: child 1 sends nothing more: it ended with status 1" in text
    assert "still there\tfalse\ttrue" in text and "unexpected symbol" in text and "of the parent" in text


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("parallel.fork('10.0.0.1')", "processes run on this machine only (got '10.0.0.1')"),
        ("parallel.nfork('x')", "parallel.nfork: number of processes must be a number (got 'x')"),
        ("parallel.nfork(-1)", "must be a whole number of at least 0 (got -1)"),
        ("parallel.yield()", "parallel.yield: called outside of a child"),
        ("parallel.addremote { ip = 'far' }", "processes run on this machine only (got 'far')"),
        ("parallel.run(5)", "parallel.run: argument 1 must be a function (got 5)"),
        ("parallel.fork():exec(5)", "exec: argument 1 must be a function (got 5)"),
        ("parallel.fork():exec(print)", "exec: a function of C cannot go to another process"),
        ("local c = parallel.fork() c:close() c:receive()", "sends nothing more"),
    ],
)
def test_wrong_calls(t7: Run, tmp_path: Path, call: str, message: str) -> None:
    assert message in output(t7, f"print(select(2, pcall(function() {call} end)))", tmp_path)


def test_children_find_the_modules_of_the_script(t7: Run, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "mine.lua").write_text("return { x = 41 }")
    script = tmp_path / "here" / "script.lua"
    script.write_text("""
    require 'parallel'
    local mine = require 'mine'
    local child = parallel.fork()
    child:exec(function() parallel.parent:send(mine.x + 1) parallel.parent:send(torch.getnumthreads()) end)
    print(child:receive(), child:receive(), mine.x)
    """)
    done = t7(str(script), cwd=tmp_path)
    assert done.stdout == "42\t1\t41\n", done.stderr


def test_children_have_children(t7: Run, tmp_path: Path) -> None:
    source = """
    local child = parallel.fork()
    child:exec(function()
       local own = parallel.fork()
       own:exec(function() parallel.parent:send('from below') end)
       parallel.parent:send(own:receive())
    end)
    print(child:receive())
    """
    assert output(t7, source, tmp_path) == "from below\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_children_end_with_their_parent(tmp_path: Path, number: int) -> None:
    source = HEAD + """
    local child = parallel.fork()
    child:exec(function()
       require('ffi').cdef 'int getpid(void);'
       parallel.parent:send(require 'ffi'.C.getpid())
       while true do end
    end)
    io.write(child:receive(), '\\n')
    io.stdout:flush()
    while true do end
    """
    command = [sys.executable, "-m", "t7shell", "-e", source]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(number)
        parent.wait(20)
    for _ in range(200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            break
        state = Path(f"/proc/{child}/stat")
        if state.exists() and state.read_text().split()[2] == "Z":
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child runs on")
