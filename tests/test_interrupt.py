"""Ctrl-C does not interrupt initialization that happens only once."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from t7shell.engine.config import Config
from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import LuaInterrupter, Watcher, begin_input, waiting
from t7shell.engine.result import Status
from t7shell.prompt.terminal import TerminalInput


class NoSignals:
    """A watcher without signals: the test makes its calls."""

    in_thread: Callable[[], None]
    pending = False

    def arm(self) -> None:
        pass

    def restart(self) -> None:
        pass


@pytest.fixture
def watcher() -> Iterator[Watcher]:
    before = signal.getsignal(signal.SIGINT)
    yield Watcher()
    Watcher.active = None
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, before)


def pressed_in(source: str) -> Engine:
    """Runs Lua in which `press()` is Ctrl-C, until the error that raises."""
    engine, signals = Engine(), NoSignals()
    interrupter = LuaInterrupter(engine.lua, signals, lambda: None)
    engine.lua.globals()["press"] = signals.in_thread
    interrupter.start()
    assert not engine.execute("jit.off() " + source).ok
    assert interrupter.finish()
    return engine


def test_lua_that_begins_after_the_request_is_stopped() -> None:
    """A notebook's interrupt may come between two calls of Lua of its cell."""
    engine, signals = Engine(), NoSignals()
    interrupter = LuaInterrupter(engine.lua, signals, lambda: None)
    signals.pending = True
    interrupter.start()
    assert not engine.execute("done = 1").ok
    assert interrupter.finish()
    signals.pending = False
    interrupter.start()
    assert engine.execute("return done").values == [None]
    assert not interrupter.finish()


def test_a_system_call_that_begins_after_the_request_ends(watcher: Watcher, tmp_path: Path) -> None:
    """The signal came before the call: the thread is woken once more."""
    os.mkfifo(tmp_path / "fifo")
    # With an end for writing, so that reading waits.
    descriptor = os.open(tmp_path / "fifo", os.O_RDWR)
    engine = Engine()
    interrupter = LuaInterrupter(engine.lua, watcher, lambda: None)
    interrupter.delay = 0.1
    interrupter.start()
    threading.Timer(0.3, watcher.in_thread).start()
    try:
        done = engine.execute(f"local f = io.open('{tmp_path}/fifo') f:read(1) done = 1 while true do end")
    finally:
        os.close(descriptor)
    assert not done.ok and interrupter.finish()
    assert engine.execute("return done").values == [None]


def test_ctrl_c_between_two_calls_of_lua_stops_the_second(watcher: Watcher) -> None:
    """Python goes on: an exception between any two of its instructions would leave work half done."""
    engine = Engine()
    engine.guard = LuaInterrupter(engine.lua, watcher, lambda: None)
    signal.raise_signal(signal.SIGINT)
    assert engine.execute("done = 1").status is Status.INTERRUPTED
    begin_input()
    assert engine.execute("return done").values == [None]


def test_a_late_notice_does_not_stop_the_next_input(watcher: Watcher) -> None:
    engine = Engine()
    engine.guard = LuaInterrupter(engine.lua, watcher, lambda: None)
    for _ in range(20):
        # The thread that reads signals runs when Python lets go of its lock, which it does for Lua.
        signal.raise_signal(signal.SIGINT)
        begin_input()
        assert engine.execute("jit.off() for i = 1, 1e5 do end").ok


def test_ctrl_c_ends_a_wait_once(watcher: Watcher) -> None:
    with pytest.raises(KeyboardInterrupt), waiting():
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
    # The rest of the input does not wait either.
    with pytest.raises(KeyboardInterrupt), waiting():
        pass
    begin_input()
    with waiting():
        pass
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_before_the_terminal_is_in_raw_mode_discards_the_input(
    watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("T7_HISTORY", "")
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        source = TerminalInput("t7> ", Engine(), Config())
        prompt = source.session.prompt

        def interrupted(*args: Any, **options: Any) -> str:
            signal.raise_signal(signal.SIGINT)
            return prompt(*args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(source.session, "prompt", interrupted)
            keys.send_text("typed = 1\r")
            with pytest.raises(KeyboardInterrupt):
                source.read(lambda _: True)
        begin_input()
        assert source.read(lambda _: True) == "typed = 1"


def test_a_wait_that_is_woken_otherwise(watcher: Watcher) -> None:
    woken = iter([True, False])
    with waiting(lambda: next(woken)):
        signal.raise_signal(signal.SIGINT)
        assert not watcher.pending
        signal.raise_signal(signal.SIGINT)
    assert watcher.pending


def test_disturbed_work_stops_at_once() -> None:
    engine = pressed_in("press() done = 1")
    assert engine.execute("return done").values == [None]


def test_undisturbed_work_is_finished_first() -> None:
    source = """
    require('torch.base.uninterruptible').call(function()
       press()
       local sum = 0
       for i = 1, 1000 do sum = sum + i end
       done = sum
    end)
    more = 1
    """
    engine = pressed_in(source)
    assert engine.execute("return done, more").values == [500500, None]


def test_type_and_operation_that_were_being_loaded() -> None:
    source = """
    local loader = require 'torch.jit.loader'
    local specialise = loader.specialise
    function loader.specialise(...)
       press()
       return specialise(...)
    end
    local x = torch.ShortTensor(3):fill(2)
    """
    engine = pressed_in(source)
    assert engine.execute("return torch.ShortTensor(3):fill(2):sum()").values == [6]


def test_a_package_that_was_being_loaded() -> None:
    source = """
    local find = package.loaders[2]
    package.loaders[2] = function(name)
       if name ~= 'rnn' then press() end
       return find(name)
    end
    require 'rnn'
    """
    engine = pressed_in(source)
    result = engine.execute("require 'rnn' return nn.LSTM(2, 3):forward(torch.ones(2)):size(1)")
    assert (result.message, result.values) == ("", [3])
