"""Recursion without end through functions of C is an error of Lua, and does not end the process."""

from __future__ import annotations

import pytest

from tests.conftest import Run

CODE = "setmetatable({}, { __index = function() return f() .. '' end })"


@pytest.mark.parametrize(
    "body",
    [
        "return coroutine.wrap(function() return f() end)()",
        "return assert(coroutine.resume(coroutine.create(function() return f() end)))",
        "return (('x'):gsub('.', f))",
        "return (('x'):gsub('.', function() return f() .. '' end))",
        f"return (('x'):gsub('.', {CODE}))",
        pytest.param(
            "return coroutine.wrap(function() return (('x'):gsub('.', f)) end)()", marks=pytest.mark.slow
        ),
    ],
)
def test_recursion_without_end_is_an_error(t7: Run, body: str) -> None:
    run = t7("-e", f"function f() {body} end local fine, message = pcall(f)"
                   " print(fine, message:match 'stack overflow', 1 + 1)")
    assert (run.stdout, run.stderr) == ("false\tstack overflow\t2\n", "")


def test_coroutines_may_be_nested_thousands_deep(t7: Run) -> None:
    run = t7("-e", """
    local function f(n) return n == 0 and 'end' or coroutine.wrap(function() return f(n - 1) end)() end
    print(f(9000), pcall(coroutine.wrap, 1))""")
    assert run.stdout == "end\tfalse\tbad argument #1 to '?' (function expected, got number)\n"


def test_coroutines_within_others_pass_values(t7: Run) -> None:
    run = t7("-e", """
    local outer = coroutine.wrap(function()
       local inner = coroutine.wrap(function(...)
          print(...)
          print(coroutine.yield(1, nil, 2))
          return 'last'
       end)
       print(inner('a', nil)) print(inner('b')) print(pcall(inner))
       local co = coroutine.create(function(x) return x + 1 end)
       print(coroutine.resume(co, 2), coroutine.status(co))
    end)
    outer()""")
    assert run.stdout.splitlines() == [
        "a\tnil", "1\tnil\t2", "b", "last", "false\tcannot resume dead coroutine", "true\tdead",
    ]
