"""torch.Tester and torch.TestSuite."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Lua = Callable[[str], str]
Run = Callable[..., object]

ASSERTIONS = [
    ("t:assertTensorEq(torch.ones(2), torch.ones(2) * 1.5, 1)", True),
    ("t:assertTensorEq(torch.ones(2), torch.ones(2) * 1.5, 0.1)", False),
    ("t:assertTensorEq(torch.ones(2, 3), torch.ones(3, 2))", True),
    ("t:assertTensorEq(torch.ones(2), torch.ones(3))", False),
    ("t:eq(torch.ones(2, 3), torch.ones(3, 2))", False),
    ("t:eq(torch.Tensor{0/0}, torch.Tensor{0/0})", True),
    ("t:eq(torch.Tensor{0/0}, torch.Tensor{1})", False),
    ("t:eq(torch.Tensor(), torch.Tensor())", True),
    ("t:eq(torch.FloatTensor{1}, torch.DoubleTensor{1})", False),
    ("t:eq({1, {2, x = 3}}, {1, {2, x = 3}})", True),
    ("t:eq({1, 2}, {1, 2, 3})", False),
    ("t:eq({1, 2, 3}, {1, 2})", False),
    ("t:eq({1.01}, {1}, 0.1)", True),
    ("t:eq(1, '1')", False),
    ("t:eq(nil, nil)", True),
    ("t:ne({1}, {1})", False),
    ("t:ne({1}, {2})", True),
    ("t:ne(1, 1.05, 0.1)", False),
    ("t:assertTableEq({a = {1}}, {a = {1}})", True),
    ("t:assertTableNe({a = {1}}, {a = {1}})", False),
    ("t:assertge(2, 2)", True),
    ("t:assertge(1, 2)", False),
    ("t:assertError(function() error('x') end)", True),
    ("t:assertError(function() end)", False),
    ("t:assertErrorMsg(function() error('x', 0) end, 'x')", True),
    ("t:assertErrorMsg(function() error('xy', 0) end, 'x')", False),
    ("t:assertErrorPattern(function() error('abc') end, 'b.$')", True),
    ("t:assertErrorPattern(function() end, 'b')", False),
]


@pytest.mark.parametrize(("source", "holds"), ASSERTIONS)
def test_assertions(lua: Lua, source: str, holds: bool) -> None:
    printed = lua(f"local t = torch.Tester() print({source}, #t.errors)")
    assert printed == ("true\t0\n" if holds else "false\t1\n")


def test_the_report_names_test_message_and_line(t7: Run) -> None:
    done = t7("-e", """
        t = torch.Tester()
        suite = torch.TestSuite()
        function suite.fails() t:eq(1, 2, 'one is two') end
        function suite.breaks() local x = nil; x.y = 1 end
        function suite.passes() t:assert(true) end
        t:add(suite):run()
        print('not reached')
    """)
    assert done.returncode == 1  # type: ignore[attr-defined]
    out = done.stdout.replace("\r", "\n")  # type: ignore[attr-defined]
    assert "Completed 2 asserts in 3 tests with 1 failure and 1 error\n" in out
    assert "fails\none is two\nEQ failed: 1 ~= 2\nstack traceback:\n" in out
    assert "attempt to index local 'x'" in out
    assert "not reached" not in out
    assert "An error was found while running tests!" in done.stderr  # type: ignore[attr-defined]


def test_early_abort_and_rethrown_errors(lua: Lua) -> None:
    printed = lua("""
        local ran = {}
        local function new()
           local t = torch.Tester()
           t:setSummaryOnly(true)
           t:add(function() ran[#ran + 1] = 'a' t:assert(false, 'no') end, 'a')
           t:add(function() ran[#ran + 1] = 'b' end, 'b')
           return t
        end
        local write = io.write
        io.write = function() end
        local first = pcall(new().run, new():setEarlyAbort(true))
        local fine, message = pcall(new().run, new():setRethrowErrors(true))
        io.write = write
        print(table.concat(ran), first, fine, message)
    """)
    assert printed.startswith("aa\tfalse\tfalse\t")
    assert "no\nBOOL violation condition=false" in printed


def test_a_tester_serves_again(lua: Lua) -> None:
    printed = lua("""
        local t = torch.Tester()
        local write = io.write
        io.write = function() end
        t:add(function() t:assert(true) end, 'x')
        print(t:run(), t:run(), t.countasserts)
        io.write = write
    """)
    assert printed == "0\t0\t1\n"


def test_the_self_test_passes(t7: Run) -> None:
    done = t7("-e", "torch.test()")
    assert done.returncode == 0  # type: ignore[attr-defined]
    assert "with 0 failures and 0 errors" in done.stdout  # type: ignore[attr-defined]


def test_failures_say_where_they_are(lua: Lua) -> None:
    printed = lua("local t = torch.Tester()\n"
                  "t:add(function()\nt:eq(1, 2)\nlocal x = 1 end, 'fails')\n"
                  "t:add(function()\nlocal x\nx.y = 1 end, 'errs')\n"
                  "pcall(t.run, t)")
    assert re.search(r"EQ failed: 1 ~= 2\nstack traceback:\n\t\S+:3: in function [^\n]*\n-", printed)
    assert re.search(r"stack traceback:\n\t\S+:7: in function [^\n]*\n-", printed)
