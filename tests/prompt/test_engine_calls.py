"""An input of the prompt goes from Python to Lua twice: it is checked, and it is run, shown and explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from t7shell.engine.engine import Engine
from t7shell.prompt.session import Session

# Counts the calls of Lua functions that come from outside of Lua: those have no caller.
COUNTER = """
    local count, getinfo, debug_library = 0, debug.getinfo, debug
    debug_library.sethook(function()
       if not getinfo(3, 'f') and getinfo(2, 'S').what ~= 'C' then count = count + 1 end
    end, 'c')
    return function(stop)
       if stop then debug_library.sethook() end
       -- Without the call that asks.
       local found = count - 1
       count = 0
       return found
    end
"""


class Lines:
    """A source of inputs: lines that are typed, of which each is checked."""

    prompt = "t7> "

    def __init__(self) -> None:
        self.lines: list[str] = []

    def read(self, is_finished: Callable[[str], bool]) -> str:
        source = self.lines.pop(0)
        while not is_finished(source):
            source += "\n" + self.lines.pop(0)
        return source


@pytest.fixture(scope="module")
def session() -> Session:
    return Session(Engine(), Lines())


@pytest.fixture
def counter(session: Session) -> Any:
    count = session.engine.lua.execute(COUNTER)
    yield count
    count(True)


@pytest.mark.parametrize(
    "lines, out, err",
    [
        (["x = 1"], "", ""),
        (["1 + 1"], "2\n", ""),
        (["2, 'two'"], "2\ttwo\n", ""),
        (["3;"], "", ""),
        (["= 4"], "4\n", ""),
        (["nothing_here"], "nil\n", ""),
        (["print 'text'"], "text\n", ""),
        (["torch.ones(2)"], " 1\n 1\n[torch.DoubleTensor of dimension 2]\n\n", ""),
        (["a = 5; b = 6\na + b"], "11\n", ""),
        (["foo.bar()"], "", "attempt to index global 'foo' (a nil value)"),
        (["tensr = torch.ones(2) tensor:sum()"], "", "did you mean 'tensr'?"),
        (["y = = 2"], "", "unexpected symbol near '='"),
        (["setmetatable({}, { __tostring = function() error 'no text' end })"], "", "no text"),
    ],
)
def test_an_input_crosses_twice(
    session: Session, counter: Any, capfd: Any, lines: list[str], out: str, err: str
) -> None:
    session.source.lines = list(lines)
    counter()
    session.evaluate(session.source.read(session.analysis.is_finished))
    assert counter() == 2
    printed = capfd.readouterr()
    assert printed.out == out
    assert err in printed.err and bool(err) == bool(printed.err)


def test_each_unfinished_line_crosses_once_more(session: Session, counter: Any, capfd: Any) -> None:
    session.source.lines = ["for i = 1, 2 do", "print(i)", "end"]
    counter()
    session.evaluate(session.source.read(session.analysis.is_finished))
    assert counter() == 4
    assert capfd.readouterr().out == "1\n2\n"
