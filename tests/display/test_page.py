"""The package display: the page of `t7 display`, notebooks, and files."""

from __future__ import annotations

import base64
import http.client
import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from t7shell import Runtime
from t7shell.packages.display import server as display_server
from t7shell.packages.display import show
from t7shell.packages.display.server import MAX_BYTES, Server
from tests.browser import CHROMIUM, open_page
from tests.x_server import wait_for

Run = Callable[..., "subprocess.CompletedProcess[str]"]

JSON = {"Content-Type": "application/json"}
PROGRAM = """
local display = require 'display'
display.configure{ port = %d }
local x = torch.zeros(3, 2, 4)
x[{ {}, 1, 1 }] = 1
print(display.image(x, { title = 'corner', padding = 0 }))
print(display.plot(torch.rand(5, 3), { win = 'loss', labels = { 'epoch', 'a', 'b' } }))
print(display.audio(torch.Tensor{{0, 1}, {0.5, -1}, {2, 0}}, { rate = 8000 }))
print(display.text('<b>ä</b>', { win = 7 }))
display.image({ torch.rand(2, 2), torch.rand(2, 2) }, { win = 'loss' })
"""


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server(0)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def listen(server: Server, count: int) -> list[dict[str, Any]]:
    """The first messages that a page gets."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request("GET", "/events")
    stream = connection.getresponse()
    found: list[dict[str, Any]] = []
    while len(found) < count:
        line = stream.readline()
        if line.startswith(b"data: "):
            found.append(json.loads(line[6:]))
    connection.close()
    return found


def test_a_page_gets_what_programs_show(server: Server, t7: Run, tmp_path: Path) -> None:
    done = t7("-e", PROGRAM % server.server_port, env={"TMPDIR": str(tmp_path)})
    assert (done.stdout, done.stderr) == ("pane-1\nloss\npane-2\n7\n", "")
    panes = {message["id"]: message for message in listen(server, 4)}
    assert [panes[name]["command"] for name in ("pane-1", "loss", "pane-2", "7")] == [
        "image", "image", "audio", "text",
    ]  # fmt: skip
    contents = {name: base64.b64decode(message["data"]) for name, message in panes.items()}
    with Image.open(io.BytesIO(contents["pane-1"])) as picture:
        pixels = np.asarray(picture.convert("L"))
    assert pixels.tolist() == [[255, 0, 0, 0], [0, 0, 0, 0]]
    with wave.open(io.BytesIO(contents["pane-2"])) as sound:
        assert (sound.getframerate(), sound.getnchannels(), sound.getnframes()) == (8000, 2, 3)
        samples = np.frombuffer(sound.readframes(3), "<i2").reshape(3, 2)
    # Divided by 2, the largest.
    np.testing.assert_array_equal(samples, [[0, 16384], [8192, -16384], [32767, 0]])
    assert (panes["pane-1"]["title"], contents["7"].decode()) == ("corner", "<b>ä</b>")


def test_pages_are_updated_and_panes_go(server: Server) -> None:
    text = {"command": "text", "id": "a", "type": "text/plain", "data": ""}
    page = server.panes.listen()
    server.panes.put({**text, "title": "one"})
    server.panes.put({**text, "title": "two"})
    server.panes.put({"command": "close", "id": "a"})
    assert [json.loads(page.get(timeout=5)).get("title") for _ in range(3)] == ["one", "two", None]
    server.panes.leave(page)
    assert server.panes.listen().empty()


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status"),
    [
        ("GET", "/", {}, "", 200),
        ("GET", "/other", {}, "", 404),
        ("GET", "/events", {"Host": "elsewhere.example"}, "", 403),
        ("POST", "/events", {"Origin": "http://elsewhere.example"}, "{}", 403),
        ("POST", "/events", {"Content-Type": "text/plain"}, "{}", 400),
        ("POST", "/events", JSON, "{", 400),
        ("POST", "/events", JSON, "[" * 100000, 400),
        ("POST", "/events", JSON, '{"command": "run", "id": "a"}', 400),
        ("POST", "/events", {**JSON, "Content-Length": str(MAX_BYTES + 1)}, "", 400),
        ("POST", "/events", JSON, '{"command": "close", "id": "a"}', 200),
    ],
)  # fmt: skip
def test_requests(
    server: Server, method: str, path: str, headers: dict[str, str], body: str, status: int
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, body, headers)
    assert connection.getresponse().status == status
    connection.close()


@pytest.mark.slow
def test_without_a_server_files_are_named(t7: Run, tmp_path: Path) -> None:
    done = t7("-e", PROGRAM % 9, env={"TMPDIR": str(tmp_path), "T7_CONFIG": str(tmp_path)})
    sentence, *paths = done.stderr.splitlines()
    assert sentence == "display: no page at http://127.0.0.1:9; `t7 display` starts one"
    assert [Path(path).suffix for path in paths] == [".png", ".png", ".wav", ".txt"]
    assert all(Path(path).stat().st_size for path in paths)


@pytest.mark.slow
def test_nothing_is_shown_where_nothing_is_wanted(t7: Run, tmp_path: Path) -> None:
    done = t7("--show=none", "-e", PROGRAM % 9, env={"TMPDIR": str(tmp_path)})
    assert done.stderr == "" and not list(tmp_path.iterdir())


_states: list[Runtime] = []


def test_notebooks_show_it_below_the_cell() -> None:
    found: list[dict[str, str]] = []
    made = Runtime()
    _states.append(made)
    show.inline = found.append
    try:
        made.execute(PROGRAM % 9)
    finally:
        show.inline = None
    assert [next(iter(data)) for data in found] == [
        "image/png", "image/png", "text/html", "text/html", "image/png",
    ]  # fmt: skip
    assert found[2]["text/html"].startswith('<audio controls src="data:audio/wav;base64,')
    assert found[3]["text/html"] == "<pre>&lt;b&gt;ä&lt;/b&gt;</pre>"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("image(3)", "image: argument 1 must be a tensor or a table of tensors (got"),
        ("image(torch.rand(2, 2), 3)", "image: options must be"),
        ("image(torch.rand(2, 2), {win = {}})", "image: win must be what an earlier call gave (got"),
        ("plot({{1, 2}, {3}})", "plot: rows must have 2 numbers (got 1 in row 2)"),
        ("plot(torch.rand(3, 1))", "plot: data must be rows of x and one y or more (got"),
        ("audio(torch.rand(2, 2, 2))", "audio: samples must be a vector, or a matrix of channels (got"),
        ("configure{port = 70000}", "configure: port must be a number up to 65535 (got 70000)"),
        ("configure{prt = 1}", "configure: options must be hostname and port (got 'prt')"),
        ("text(torch.rand(2))", "text: "),
    ],
)
def test_errors(t7: Run, call: str, problem: str) -> None:
    done = t7("--show=none", "-e", f"require('display').{call}")
    assert done.returncode == 1 and problem in done.stderr


@pytest.mark.parametrize(
    ("words", "status"),
    [(["display", "--port", "0"], 0), (["--dialect", "th", "-l", "display.start", "0", "0.0.0.0"], 130)],
)
def test_the_command_serves_until_interrupted(words: list[str], status: int) -> None:
    command = [sys.executable, "-m", "t7shell", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            address = process.stdout.readline().split()[0]
            connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=20)
            connection.request("GET", "/")
            assert b"EventSource" in connection.getresponse().read()
            connection.close()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == status
        finally:
            process.kill()


def test_panes_are_bounded(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest ones are forgotten, and a page that does not read gets no more."""
    monkeypatch.setattr(display_server, "MAX_HELD", 100_000)
    unread = server.panes.listen()
    text = {"command": "text", "type": "text/plain", "data": "x" * 10_000}
    for number in range(30):
        server.panes.put({**text, "id": str(number)})
    server.panes.put({**text, "id": "29", "data": ""})
    found = server.panes.listen()
    names = [json.loads(found.get())["id"] for _ in range(found.qsize())]
    assert names == [str(number) for number in range(21, 30)]
    # Nine long ones and the short one.
    assert unread.qsize() == 10
    # What was read makes room.
    unread.get()
    server.panes.put({**text, "id": "last"})
    assert unread.qsize() == 10
    for number in range(2000):
        server.panes.put({**text, "id": f"small {number}", "data": ""})
    assert server.panes.listen().qsize() < 400


@pytest.mark.parametrize("length", ["²", "1" * 5000, "-1", "0x1", ""])
def test_wrong_lengths_are_answered(server: Server, capfd: pytest.CaptureFixture[str], length: str) -> None:
    host = f"127.0.0.1:{server.server_port}"
    head = f"POST /events HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
    head += f"Content-Length: {length}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
        connection.sendall(head.encode("latin-1"))
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
    assert capfd.readouterr().err == ""


def test_a_reset_connection_prints_nothing(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    whole = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode()
    for sent in (b"", b"GET / HT", whole):
        connection = socket.create_connection(("127.0.0.1", server.server_port), timeout=20)
        connection.sendall(sent)
        # Closing now resets the connection.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    # The server goes on; it waits for its threads at the end.
    assert server.panes.listen().empty()
    again = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    for _ in range(20):
        again.request("GET", "/other")
        assert again.getresponse().read() == b"not found\n"
    again.close()
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.skipif(not CHROMIUM, reason="needs chromium")
def test_panes_move_and_zoom_in_a_browser(server: Server, t7: Run, tmp_path: Path) -> None:
    with open_page(tmp_path) as page:
        page.open(f"http://127.0.0.1:{server.server_port}/")
        t7("-e", PROGRAM % server.server_port, env={**os.environ})
        there = "document.querySelector(\"[data-id='%s'] %s\")"
        assert wait_for(lambda: page.evaluate(there % ("7", "pre") + "?.textContent") == "<b>ä</b>")
        assert wait_for(lambda: page.evaluate(there % ("pane-2", "audio") + " !== null"))
        assert wait_for(lambda: page.evaluate(there % ("pane-1", "img") + "?.naturalWidth") == 4)
        assert wait_for(lambda: page.evaluate(there % ("loss", "img") + "?.naturalWidth > 0"))
        pane, image = "[data-id='pane-1']", "[data-id='pane-1'] img"
        before, header = page.box(pane), page.box(f"{pane} header")
        page.drag(header["x"] + 10, header["y"] + 5, 150, 90)
        after = page.box(pane)
        assert (after["x"] - before["x"], after["y"] - before["y"]) == (150, 90)
        width = page.box(image)["width"]
        x, y = after["x"] + after["width"] / 2, after["y"] + after["height"] / 2
        page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-300)
        assert wait_for(lambda: page.box(image)["width"] > 2 * width)
        # The page that is shown is updated: a later picture in the same pane.
        again = "d = require 'display' d.configure{port = %d} d.image(torch.rand(5, 6), {win = 'pane-1'})"
        t7("-e", again % server.server_port, env={**os.environ})
        assert wait_for(lambda: page.evaluate(there % ("pane-1", "img") + "?.naturalWidth") not in (None, 4))


@pytest.mark.parametrize("port", ["-1", "x", "65536", "1.5", ""])
def test_a_wrong_port_is_named(t7: Run, port: str) -> None:
    done = t7("display", f"--port={port}")
    assert done.returncode == 2
    assert f"argument --port: expected a number from 0 to 65535 (got '{port}')" in done.stderr
