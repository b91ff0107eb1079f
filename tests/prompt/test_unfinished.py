"""Lines that are added to an unfinished input: the time for each does not grow with those before it."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

import t7shell
from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.prompt import analysis
from t7shell.prompt.analysis import Analysis
from tests.prompt_fixtures import typed

LUA = Path(t7shell.__file__).parents[1] / "lua"

WORDS = ["end", "function()", "(", ")", "{", "}", "[[", "]]", "--[[", "else", "return", "repeat", ",", '"']
WORDS += ["break", "(f)(g)", ";", "#x", "...", "%", "!ls", "x?", "if x then", "elseif y then", "until x"]
WORDS += ["local a", "= 5", "+ 1", "for i = 1, 2 do", "}, {", "goto l"]


def changed(lines: list[str], numbers: random.Random) -> list[str]:
    """Lines of which some have lost a line end or a line, or have another word."""
    found = []
    for line in lines:
        kind = numbers.random()
        word = numbers.choice(WORDS)
        if kind < 0.03:
            line = f"{word} {line}"
        elif kind < 0.06:
            line = f"{line} {word}"
        elif kind < 0.08:
            line = word
        elif kind < 0.10:
            line = line.replace(" ", "\n", 1)
        if kind < 0.98:
            found += line.split("\n")
    return found


@pytest.fixture
def no_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets short inputs be classified as long ones are."""
    monkeypatch.setattr(analysis, "_FEW_LINES", 0)


def finishes_at(lines: list[str], *, anew: bool) -> int:
    """The number of the line that finishes an input; each is classified `anew` or after the last."""
    prompt = Analysis(ENGINE)
    for count in range(1, len(lines) + 1):
        if anew:
            prompt.forget()
        if prompt.is_finished("\n".join(lines[:count])):
            return count
    return 0


ENGINE = Engine()


@pytest.mark.usefixtures("no_few_lines")
def test_an_input_is_finished_at_the_same_line_as_the_whole() -> None:
    numbers = random.Random(1)
    paths = sorted(LUA.rglob("*.lua"))
    wrong = []
    for _ in range(150):
        lines = numbers.choice(paths).read_text().splitlines()
        start = numbers.randrange(max(1, len(lines) - 40))
        part = ["do", *changed(lines[start : start + 40], numbers)]
        if finishes_at(part, anew=True) != finishes_at(part, anew=False):
            wrong.append("\n".join(part))
    assert not wrong


@pytest.mark.usefixtures("no_few_lines")
@pytest.mark.parametrize(
    "source",
    [
        "function f()\nx = y\n+ 3\nreturn x\nz = 1\nend",
        "function f()\nreturn\n(g)()\nx = 1\nend",
        "t = {\n1, 2,\n{\n3,\n},\nf = function()\nreturn 1\nend,\n}",
        "s = [[\nend\na[b[1]] = 2\n--]]",
        "function f() --[[\nend\n]] x = 1\nend",
        "if a then\nx = 1\nelseif b then\nreturn\nelseif c then\nif d then\nelseif e then\nend\nelse\nend",
        "for i = 1, 2 do\nif x then break end\nrepeat\ny()\nuntil z\nend",
        "describe('it', function()\na = {\n}\nend)",
        "f(function()\nx = 1\nend,\nfunction()\nend\n)",
        "return {\nf(\n1,\n2\n),\n}",
        "= {\n1,\n2,\n}",
        "#!/usr/bin/env t7\nfunction f()\nx = 1\nend",
        "function f()\nif x:\n",
        "function f()\nlocal x\n= 5\ny = 2\nend",
        "function f()\n%who\nend",
        "function f()\nx = [[\n]] y = [=[ ]]\n]=]\nend",
    ],
)
def test_inputs_of_several_lines(source: str) -> None:
    lines = source.split("\n")
    assert finishes_at(lines, anew=False) == finishes_at(lines, anew=True) > 0


BODIES = {
    "function": ("function f(a)", "   a = a + {0} * (a - 1)", "end"),
    "table": ("t = {{", "   {0}, 'abc', {{1, 2}},", "}"),
    "string": ("s = [[", "line {0}", "]]"),
    "branches": ("if x == 0 then", "elseif x == {0} then\n   y = {0}", "end"),
    "blocks": ("function f()", "   for i = 1, 2 do\n      if i > {0} then return i end\n   end", "end"),
    "calls": ("describe('it', function()", "   it('{0}', function()\n      run({0})\n   end)", "end)"),
}


@pytest.mark.parametrize("kind", BODIES)
def test_the_time_of_long_inputs_is_proportional_to_their_lines(kind: str) -> None:
    first, line, last = BODIES[kind]

    def seconds(count: int) -> float:
        text = "\n".join([first.replace("{{", "{"), *(line.format(at) for at in range(count)), last])
        prompt = Analysis(ENGINE)
        source, start = "", time.process_time()
        lines = text.split("\n")
        for at, each in enumerate(lines):
            source += "\n" * (at > 0) + each
            assert prompt.is_finished(source) == (at == len(lines) - 1)
        assert prompt.status(source) is Status.OK
        return time.process_time() - start

    # A quadratic time would be 64 times that.
    assert seconds(1600) < 25 * max(seconds(200), 0.01)


def test_a_long_function_from_a_pipe() -> None:
    lines = "".join(f"   a = a + {at}\n" for at in range(3000))
    done = typed(f"function f(a)\n{lines}   return a\nend\nprint(f(1))\n")
    assert str(1 + sum(range(3000))) in done.stdout and not done.stderr
