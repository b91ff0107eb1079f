"""ipc.server and ipc.client between processes of this machine, and distlearn.AsyncEA over them."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from t7shell.packages.ipc.connections import GREETING

from ..conftest import Run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs sockets that processes inherit")

# start(f, ...): a process that calls f(...).
HEAD = """
local ipc = require 'libipc'
local parallel = require 'parallel'
local function start(f, ...)
   local child = parallel.fork()
   child:exec(function()
      local f, arguments = unpack(parallel.parent:receive())
      f(unpack(arguments))
      parallel.parent:send 'done'
   end)
   child:send { f, { ... } }
   return child
end
"""


# The value true, as torch.serialize writes it.
VALUE = struct.pack("<ii", 5, 1)


@contextmanager
def serving(source: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that runs a program, and is killed at the end."""
    command = [sys.executable, "-m", "t7shell", "-e", source]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def output(t7: Run, source: str, tmp_path: Path) -> str:
    done = t7("-e", HEAD + source, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_values_and_tensors(t7: Run, tmp_path: Path) -> None:
    out = output(t7, """
    local server, port = ipc.server()
    local child = start(function(port)
       local c = require 'ipc'.client(port)
       local k = 3
       c:send { a = 1, b = { torch.ones(2) }, f = function(x) return x + k end }
       c:send(nil) c:send 'text' c:send(false)
       for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half' } do
          c:send(torch.Tensor{{1, 2, 3}, {4, 5, 6}}:type('torch.' .. name .. 'Tensor'):t())
       end
       c:send(torch.Tensor())
       c:send(torch.range(1, 400000):resize(2, 200000))
       assert(c:recv() == 'end' and c:netStats().bytes_sent > 3200000)
       c:close()
    end, port)
    server:clients(1, function(c)
       local v = c:recv()
       print(v.a, v.b[1]:sum(), v.f(2), c:recv(), c:recv(), c:recv(), c:id(), torch.type(c:id()))
       for _ = 1, 8 do
          local x = c:recv()
          io.write(torch.type(x), ' ', x:size(1), x:size(2), ' ', x[3][1], x[2][2], '; ')
       end
       print()
       print(c:recv():dim(), c:recv():sum())
       c:send 'end'
    end)
    print(child:receive())
    server:close()
    """, tmp_path)  # fmt: skip
    lines = out.splitlines()
    assert lines[0] == "1\t2\t5\tnil\ttext\tfalse\t1\tnumber"
    names = ("Byte", "Char", "Short", "Int", "Long", "Float", "Double", "Half")
    assert lines[1] == " ".join(f"torch.{name}Tensor 32 35;" for name in names) + " "
    assert lines[2:] == [f"0\t{400000 * 400001 // 2}", "done"]


def test_receiving_into_tensors(t7: Run, tmp_path: Path) -> None:
    out = output(t7, """
    local server, port = ipc.server('127.0.0.1')
    start(function(port)
       local c = require 'ipc'.client('127.0.0.1', port)
       c:send(torch.range(1, 6))
       c:send 'text'
       c:send(torch.Tensor{0/0})
       c:recv()
    end, port)
    server:clients(1, function(c)
       local x = torch.zeros(3, 4)
       print(pcall(c.recv, c, torch.FloatTensor(6)))
       print(pcall(c.recv, c, torch.Tensor(5)))
       print(pcall(c.recv, c, 'text'))
       -- Not contiguous, and of another shape.
       local y = c:recv(x:narrow(2, 2, 2))
       print(x:sum(), x[3][3], x[1][1], rawequal(x:storage(), nil), y:dim())
       print(pcall(c.recv, c, x))
       print(c:recv(), c:recv()[1] ~= 0)
       c:send(1)
    end)
    """, tmp_path)  # fmt: skip
    lines = out.splitlines()
    assert "client:recv: expected FloatTensor of 6 elements (got DoubleTensor of size 6)" in lines[0]
    assert "expected DoubleTensor of 5 elements (got DoubleTensor of size 6)" in lines[1]
    assert "argument 1 must be a tensor (got 'text')" in lines[2]
    assert lines[3] == "21\t6\t0\tfalse\t2"
    assert "expected DoubleTensor of 12 elements (got another value)" in lines[4]
    assert lines[5] == "text\ttrue"


def test_several_clients(t7: Run, tmp_path: Path) -> None:
    out = output(t7, """
    local server, port = ipc.server()
    local function work(port, name)
       local c = require 'ipc'.client(port)
       c:send(name)
       while true do
          local m = c:recv()
          if m == 'end' then return c:close() end
          c:send(name .. m)
       end
    end
    for i = 1, 3 do start(work, port, 'worker') end
    local order = {}
    server:clients(3, function(c)
       c:tag(c:recv() .. c:id() % 2)
       order[#order + 1] = c:id()
    end)
    server:clients(function(c) order[#order + 1] = c:id() end, true)
    server:clients('worker0', function(c) order[#order + 1] = c:tag() end)
    print(unpack(order))
    server:broadcast('!')
    local seen, sum = {}, 0
    for i = 1, 3 do
       local m, c = server:recvAny()
       seen[c:id()], sum = m, sum + c:id()
    end
    print(sum, seen[1], seen[2], seen[3])
    server:broadcast('?', 'worker1')
    print(server:recvAny(), (server:recvAny()))
    local second
    server:clients('worker0', function(c) second = c end)
    server:broadcast('end', second)
    second:send '.'
    local m, c = server:recvAny()
    print(m, c == second, server:netStats().bytes_sent > 0)
    -- To those that have closed their connections, too.
    for _ = 1, 3 do
       server:broadcast 'end'
       sys.sleep(0.1)
    end
    print(pcall(server.recvAny, server))
    server:close()
    print(pcall(server.clients, server, 1, print))
    """, tmp_path)  # fmt: skip
    lines = out.splitlines()
    assert lines[0] == "1\t2\t3\t3\t2\t1\tworker0"
    assert lines[1] == "6" + "\tworker!" * 3
    assert lines[2].split("\t")[0] == "worker?"
    assert lines[3] == "worker.\ttrue\ttrue"
    assert "server:recvAny: no client is connected" in lines[4]
    assert "server:clients: the server is closed" in lines[5]


def test_errors(t7: Run, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        out = output(t7, f"""
        print(pcall(ipc.client, '127.0.0.1', {port}, 0))
        print(pcall(ipc.server, '127.0.0.1', {port}))
        print(pcall(ipc.client, '127.0.0.1'))
        print(pcall(ipc.client, 70000))
        print(pcall(ipc.server, true))
        local server, port = ipc.server()
        local c = start(function(port) require 'ipc'.client(port):close() end, port)
        server:clients(1, function(c)
           print(pcall(c.recv, c))
           print(pcall(c.recv, c))
           print(pcall(c.send, c, 1))
        end)
        """, tmp_path)  # fmt: skip
    for line, message in zip(
        out.splitlines(),
        [
            f"ipc.client: 127.0.0.1:{port}: Connection refused",
            f"ipc.server: 127.0.0.1:{port}: Address already in use",
            "ipc.client: port must be a number (got nil)",
            "ipc.client: port must be a whole number from 1 to 65535 (got 70000)",
            "ipc.server: host must be a string (got true)",
            "client:recv: the other side has closed the connection",
            "client:recv: the connection is closed",
            "client:send: the connection is closed",
        ],
        strict=True,
    ):
        assert message in line


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (struct.pack("<I", 2**31), "the received bytes are not a message of ipc"),
        (struct.pack("<I", 5) + b"hello" + bytes(8), "the received bytes are not a message of ipc"),
        (
            struct.pack("<I", 8) + b"Double 3" + struct.pack("<Q", 8),
            "the received bytes are not a message of ipc",
        ),
        (
            struct.pack("<I", 8) + b"Nothing3"[:7] + b" " + bytes(8),
            "the received bytes are not a message of ipc",
        ),
        (struct.pack("<I", 8) + b"Doubles " + bytes(8), "the received bytes are not a message of ipc"),
        (struct.pack("<I", 9) + b"Double 10" + struct.pack("<Q", 80) + bytes(9), "has closed the connection"),
        (struct.pack("<I", 0) + struct.pack("<Q", 2**60), "the received bytes are not a message of ipc"),
        (struct.pack("<I", 0) + struct.pack("<Q", 3) + b"abc", ""),
    ],
)
def test_hostile_peers(t7: Run, tmp_path: Path, sent: bytes, message: str) -> None:
    source = """
    local server, port = require 'ipc'.server()
    print(port)
    io.stdout:flush()
    server:clients(1, function(c) print(pcall(c.recv, c)) end)
    """
    with serving(source, tmp_path) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        # Strangers are turned away.
        with socket.create_connection(("127.0.0.1", port)) as stranger:
            stranger.sendall(b"GET / HTTP/1.0\r\n\r\n")
        with socket.create_connection(("127.0.0.1", port)) as peer:
            peer.sendall(GREETING + sent)
            peer.shutdown(socket.SHUT_WR)
            found, _ = process.communicate(timeout=60)
        assert process.returncode == 0
    assert found.startswith("false\t")
    assert message in found
    assert found.count("\n") == 1


def test_silent_clients_delay_nobody(t7: Run, tmp_path: Path) -> None:
    """Each of them had five seconds, one after the other."""
    source = """
    local server, port = require 'ipc'.server()
    print(port)
    io.stdout:flush()
    server:clients(2, function(c) print(c:recv()) end)
    """
    with ExitStack() as stack, serving(source, tmp_path) as process:
        assert process.stdout is not None
        address = ("127.0.0.1", int(process.stdout.readline()))
        for begun in range(50):
            silent = stack.enter_context(socket.create_connection(address))
            silent.sendall(GREETING[: begun % 3])
        for _ in range(2):
            peer = stack.enter_context(socket.create_connection(address))
            peer.sendall(GREETING[:4])
            peer.sendall(GREETING[4:] + struct.pack("<I", 0) + struct.pack("<Q", len(VALUE)) + VALUE)
        found, _ = process.communicate(timeout=60)
    assert found == "true\ntrue\n"


def test_ctrl_c_ends_what_waits(t7: Run, tmp_path: Path) -> None:
    source = """
    local server, port = require 'ipc'.server()
    print('waits')
    io.stdout:flush()
    server:clients(1, print)
    """
    with serving(source, tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "waits\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "interrupt" in errors


def test_elastic_averaging_with_a_server(t7: Run, tmp_path: Path) -> None:
    """Two clients, one after the other, so that the result can be computed here."""
    out = output(t7, """
    local server, port = ipc.server()
    local testers, test_port = ipc.server()
    local function work(port, number)
       local client = require 'ipc'.client(port)
       local ea = require 'distlearn.AsyncEA'(nil, nil, client, nil, nil, nil, 2, number, 2, 0.5)
       local w = { torch.zeros(2), { torch.FloatTensor(1) } }
       ea.initClient(w)
       assert(client:recv() == 'go')
       for step = 1, 5 do
          w[1]:add(number)
          w[2][1]:add(1)
          ea.syncClient(w)
       end
       client:send(w)
       client:recv()
    end
    for i = 1, 2 do start(work, port, i) end
    local tester = start(function(port)
       local ea = require 'distlearn.AsyncEA'(nil, nil, nil, nil, nil, require 'ipc'.client(port))
       local w = { torch.zeros(2), { torch.FloatTensor(1) } }
       ea.initTester(w)
       ea.startTest(w)
       require('parallel').parent:send(w[1][2])
    end, test_port)
    local ea = require('distlearn').AsyncEA(server, nil, nil, nil, testers, nil, 2, 0)
    local w = { torch.Tensor{10, 20}, { torch.FloatTensor{1} } }
    ea.initServer(w)
    local clients = {}
    server:clients(function(c) clients[#clients + 1] = c end)
    for _, c in ipairs(clients) do
       c:send 'go'
       for _ = 1, 2 do ea.syncServer(w) end
       local mine = c:recv()
       print(mine[1][1] - w[1][1], w[1][1], w[1][2], w[2][1][1])
    end
    ea.testNet()
    print(tester:receive() == w[1][2], pcall(ea.syncClient, w))
    print(select(2, pcall(require 'distlearn.AsyncEA', nil, nil, {}, nil, nil, nil, 2, 1, 0, 0.5)))
    server:broadcast 'end'
    """, tmp_path)  # fmt: skip
    lines = out.splitlines()
    # Which client came first is not known: number 1 adds 1 a step, number 2 adds 2.
    expected = []
    for order in ((1, 2), (2, 1)):
        center, other, shown = 10.0, 1.0, []
        for number in order:
            w, v = 10.0, 1.0
            for step in range(1, 6):
                w, v = w + number, v + 1
                if step % 2 == 0:
                    move, second = (w - center) / 2, (v - other) / 2
                    w, v, center, other = w - move, v - second, center + move, other + second
            shown.append([w - center, center, center + 10, other])
        expected.append(shown)
    found = [[float(word) for word in line.split("\t")] for line in lines[:2]]
    assert found in expected
    assert lines[2].startswith("true\tfalse\t")
    assert "AsyncEA.syncClient: expected a client (got nil)" in lines[2]
    assert "AsyncEA: tau must be a whole number of at least 1 (got 0)" in lines[3]
