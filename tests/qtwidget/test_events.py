"""qtwidget: the mouse and keys of windows, and timers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from t7shell import Runtime
from t7shell.packages.display import show, signals, window
from tests.conftest import Run
from tests.runtimes import assert_error
from tests.x_server import Hands, missing_input, pixels, wait_for, x_server

PRESS = "'sigMousePress(int,int,QByteArray,QByteArray,QByteArray)'"
KEY = "'sigKeyPress(QString,QByteArray,QByteArray)'"


@pytest.fixture
def windows(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The other end of the connection to the process that shows windows."""
    ours, theirs = socket.socketpair()
    theirs.settimeout(5)
    monkeypatch.setattr(window, "_connection", ours)
    monkeypatch.setattr(show, "_choice", "window")
    monkeypatch.setattr(show, "inline", None)
    window._events.clear()
    yield theirs
    show._waiting.clear()
    ours.close()
    theirs.close()


@pytest.fixture
def lua(windows: socket.socket) -> Runtime:
    runtime = Runtime()
    runtime.execute("""
        require 'qtwidget'
        seen = {}
        function note(...) seen[#seen + 1] = table.concat({...}, ' ') end
        win = qtwidget.newwindow(40, 30)
    """)
    return runtime


def send(windows: socket.socket, *events: Any) -> None:
    windows.sendall(b"".join(json.dumps(event).encode() + b"\n" for event in events))


def seen(lua: Runtime) -> list[str]:
    return list(lua.eval("seen").values())


def test_functions_are_called_by_doevents(lua: Runtime, windows: socket.socket) -> None:
    lua.execute(f"qt.connect(win.listener, {PRESS}, note) qt.connect(win.widget, {KEY}, note)")
    key = lua.eval("win.key")
    send(windows, [key, "sigMousePress", [3, 4, "LeftButton", "NoModifier", "NoButton"]])
    send(windows, [key, "sigOther", []], ["another", "sigKeyPress", ["x"]])
    send(windows, [key, "sigKeyPress", ["é", "Key_Eacute", "ShiftModifier"]])
    assert seen(lua) == []
    lua.execute("qt.doevents()")
    assert seen(lua) == ["3 4 LeftButton NoModifier NoButton", "é Key_Eacute ShiftModifier"]
    lua.execute(f"qt.disconnect(win.listener, {PRESS})")
    send(windows, [key, "sigMousePress", [5, 6]], [key, "sigKeyPress", ["b"]])
    lua.execute("qt.doevents(true)")
    assert seen(lua)[2:] == ["b"]


def test_methods_of_objects(lua: Runtime, windows: socket.socket) -> None:
    lua.execute(f"""
        thing = {{ pressed = function(self, x, y) note(self == thing and 'thing', x, y) end }}
        qt.connect(qt.QtLuaListener(win), {PRESS}, thing, 'pressed(int,int)')
    """)
    send(windows, [lua.eval("win.key"), "sigMousePress", [7, 8]])
    lua.execute("qt.doevents()")
    assert seen(lua) == ["thing 7 8"]


def test_pictures_of_image_display(lua: Runtime, windows: socket.socket) -> None:
    lua.execute(f"""
        require 'image'
        shown = image.display(torch.rand(3, 4, 5))
        qt.connect(shown.listener, {PRESS}, note)
    """)
    send(windows, [lua.eval("shown.key"), "sigMousePress", [1, 2]])
    lua.execute("qt.doevents()")
    assert seen(lua) == ["1 2"]


def test_closing(lua: Runtime, windows: socket.socket) -> None:
    lua.execute("qt.connect(win.listener, 'sigClose()', function() note('closed') end)")
    assert lua.eval("win:valid()")
    send(windows, [lua.eval("win.key"), "sigClose", []])
    # The function waits for its turn.
    assert not lua.eval("win:valid()") and seen(lua) == []
    lua.execute("qt.doevents()")
    assert seen(lua) == ["closed"]
    lua.execute("other = qtwidget.newwindow(9, 9) other:close()")
    assert not lua.eval("other:valid()")
    received = windows.recv(65536).decode().splitlines()
    assert json.loads(received[-1]) == {"key": lua.eval("other.key"), "close": True}


def test_windows_that_end(lua: Runtime, windows: socket.socket) -> None:
    lua.execute(f"qt.connect(win.listener, {PRESS}, note)")
    windows.shutdown(socket.SHUT_RDWR)
    lua.execute("qt.doevents(true)")
    assert not lua.eval("win:valid()")


def test_timers(lua: Runtime) -> None:
    lua.execute("""
        often, once = qt.QTimer(), qt.QTimer()
        often.interval, once.interval, once.singleShot = 1, 2, true
        qt.connect(often, 'timeout()', function() note('often') end)
        qt.connect(once, 'timeout()', function() note('once') end)
        often:start() once:start()
        repeat qt.doevents() until #seen > 6
        often:stop()
        count = #seen
        qt.doevents()
    """)
    found = seen(lua)
    assert found.count("once") == 1 and found.count("often") >= 6
    assert lua.eval("count") == len(found)
    assert_error(lua, "once:start('soon')", "QTimer: interval must be a number (got 'soon')")


def test_errors_of_functions(lua: Runtime, windows: socket.socket) -> None:
    lua.execute(f"qt.connect(win.listener, {PRESS}, function() error('within') end)")
    send(windows, [lua.eval("win.key"), "sigMousePress", []])
    assert_error(lua, "qt.doevents()", "within")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("qt.connect(3, 'a()', note)", "qt.connect: argument 1 must be a window or its listener (got 3)"),
        ("qt.connect(win.listener, nil, note)", "qt.connect: signal must be a string (got nil)"),
        ("qt.connect(win.listener, 'a()', 3)", "qt.connect: argument 3 must be a function (got 3)"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, call, message)


def test_arguments_of_signals() -> None:
    press = SimpleNamespace(x=3, y=4, num=3, state=0x105)
    assert signals.of_button(press) == [3, 4, "RightButton", "ShiftModifier|ControlModifier", "LeftButton"]
    assert signals.of_move(SimpleNamespace(x=1, y=2, state=0)) == [1, 2, "NoModifier", "NoButton"]
    for keysym, char, name in [("Left", "", "Key_Left"), ("a", "a", "Key_A"), ("Prior", "", "Key_PageUp")]:
        event = SimpleNamespace(keysym=keysym, char=char, state=8)
        assert signals.of_key(event) == [char, name, "AltModifier"]


def test_without_windows_a_sentence_says_so(t7: Run, tmp_path: Path) -> None:
    code = f"""
        require 'qtwidget' win = qtwidget.newwindow(9, 9)
        qt.connect(win.listener, {PRESS}, print) qt.connect(win.listener, {KEY}, print)
        timer = qt.QTimer() qt.connect(timer, 'timeout()', print) timer:start()
        qt.doevents(true) print(win:valid())
    """
    done = t7("--show=none", "-e", code, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "true\n")
    assert done.stderr.count("\n") == 1 and "no mouse and no keyboard" in done.stderr


@pytest.mark.skipif(bool(missing_input()), reason=f"needs {missing_input()}")
def test_a_script_is_served_until_its_windows_are_closed(tmp_path: Path) -> None:
    script = tmp_path / "paint.lua"
    script.write_text(f"""
        require 'qtwidget'
        win = qtwidget.newwindow(200, 100, 'paint')
        qt.connect(win.listener, {PRESS}, function(x, y, button)
           print(x, y, button)
           win:setcolor('red') win:rectangle(0, 0, 200, 100) win:fill()
        end)
        qt.connect(win.listener, {KEY}, function(text, key)
           print(text, key)
           win:close()
        end)
        print('served')
    """)
    with x_server() as display:
        command = [sys.executable, "-m", "t7shell", "--show=window", str(script)]
        program = subprocess.Popen(
            command, env={**os.environ, "DISPLAY": display}, stdout=subprocess.PIPE, text=True
        )
        try:
            assert wait_for(lambda: int((pixels(display) == 255).all(2).sum()) == 200 * 100)
            hands = Hands(display)
            hands.move(30, 40)
            assert hands.click_until(lambda: int((pixels(display) == [255, 0, 0]).all(2).sum()) == 200 * 100)
            assert program.poll() is None
            hands.press("q")
            output, _ = program.communicate(timeout=30)
            hands.close()
        finally:
            program.kill()
    assert program.returncode == 0
    first, *clicks, last = output.splitlines()
    assert (first, set(clicks), last) == ("served", {"30\t40\tLeftButton"}, "q\tKey_Q")
