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
    ("t:eq(torch.Tensor{0/0}, torch.Tensor{0/0})", False),
    ("t:eq(torch.FloatTensor{1/0, 1}, torch.FloatTensor{1/0, 1}, 1)", False),
    ("t:eq({-1/0}, {-1/0})", False),
    ("t:ne(0/0, 0/0)", True),
    ("t:asserteq(1/0, 1/0)", True),
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


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("t:assertTensorEq(torch.ones(2), torch.ones(3))", "The tensors have different sizes"),
        ("t:eq(torch.ones(2, 2), torch.ones(4), 'why')", "why\nThe tensors have different dimensions"),
        ("t:eq(torch.ones(2, 2), torch.ones(2, 3))", "The tensors have different sizes"),
        ("t:assertTensorEq(torch.ones(2), torch.ones(2):float())", "The tensors have different types"),
        ("t:assertTensorNe(torch.Tensor(), torch.Tensor())", "Both tensors are empty"),
        ("t:eq(torch.IntStorage(1), torch.IntStorage(2))", "The storages have different sizes"),
        ("t:eq({a = 1}, {})", "Entry a missing in second table (is 1 in first)"),
        ("t:assertTableEq({}, {[3] = 'x'}, 'm')", "m\nEntry 3 missing in first table (is x in second)"),
        ("t:eq({p = {q = {1}}}, {p = {q = {}}})",
         "Entry p.q.1 missing in second table (is 1 in first)"),
        # The last three are what Torch7 printed.
        ("t:eq({p = {q = {1}}, z = 3}, {p = {q = {}}, z = 4})", "At table location z: EQ failed: 3 ~= 4"),
        ("t:eq(torch.ones(2), torch.FloatTensor(2, 1))", "The tensors have different dimensions"),
        ("t:eq({x = torch.ones(2)}, {x = torch.ones(2):float()})",
         "At table location x: The tensors have different types"),
        ("t:eq({p = {1}}, {p = 1})",
         "At table location p: EQ failed: values have different types (first: table, second: number)"),
        ("t:ne({1}, {1})", "The tables are equal"),
        ("t._assertTensorEqIgnoresDims = false t:assertTensorEq(torch.ones(4), torch.ones(2, 2))",
         "The tensors have different dimensions"),
    ],
)
def test_what_differs(lua: Lua, source: str, message: str) -> None:
    shown = "t.errors[1]:gsub('%s*stack traceback.*', ''):gsub('%s+$', '')"
    printed = lua(f"local t = torch.Tester() {source} print(({shown}))")
    assert printed == message + "\n"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("t:assert(true, 5)", "the message must be a string (got number)"),
        ("t:assert(true, 'a', 'b')", "assertion: Unexpected arguments"),
        ("t:eq(1, 1, 0.1, 'm', 'x')", "a second message: x"),
        ("t:eq(1, 1, 1, 2)", "a second tolerance: 2"),
        ("t:ne(1, 1, -1)", "the tolerance must be at least 0 (got -1)"),
        ("t:eq(1, 1, {})", "argument must be a tolerance or message (got table)"),
        ("t:add{{function() end}}", "add: Nested sets of tests are not supported: 1"),
        ("t:assertTensorEq(torch.ones(1), 1)", "Second argument should be a Tensor (got number)"),
        ("t:assertTensorEq(nil, torch.ones(1))", "First argument should be a Tensor (got nil)"),
        ("t:assertTableEq({}, 3)", "assertTableEq: argument 2 must be a table (got 3)"),
        ("t:assertlt(nil, 3)", "Tester:assertlt: arguments must be two numbers (got nil and 3)"),
        ("t:assertalmosteq(1)", "Tester:assertalmosteq: argument 2 must be a number (got nil)"),
        ("t:add({}, 'name')", "must be left out for a table of tests"),
        ("t:add({x = 1})", "test x must be a function (got number)"),
        ("t:add(print, '_setUp') t:add(print, '_setUp')", "Only one set-up function"),
        ("t:add({_tearDown = print}) t:add({_tearDown = print})", "Only one tear-down function"),
        ("t:run('nothing')", "couldn't find test 'nothing'"),
        ("t:run{5}", "must be names or patterns of tests (got 5)"),
    ],
)
def test_wrong_arguments(lua: Lua, source: str, message: str) -> None:
    assert message in lua(f"local t = torch.Tester() print(pcall(function() {source} end))")


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        ("1, 1", True),
        ("1, 1 + 2^-52", False),
        ("1, 1.5, 0.5", True),
        ("1, 1.5, 'label', 0.25", False),
        ("1/0, 1/0", False),
        ("-1/0, -1/0, 1", False),
        ("0/0, 0/0", False),
    ],
)
def test_numbers_that_are_almost_equal(lua: Lua, arguments: str, near: bool) -> None:
    """As in the original, an infinity is not near itself: the difference is nan."""
    source = f"""
    local t, near = torch.Tester(), nil
    t:add(function() near = t:assertalmosteq({arguments}) end, 'x')
    pcall(t.run, t)
    print(near)"""
    assert lua(source).splitlines()[-1] == str(near).lower()


def test_report_of_warnings(lua: Lua) -> None:
    source = """
    local t = torch.Tester()
    t:setEarlyAbort(true)
    t:add(function() t:assert(5) end, 'a')
    t:add(function() t:assert(false, 'no') end, 'b')
    print(pcall(t.run, t))
    """
    printed = re.sub(r"\nstack traceback:(\n\t.*)*", "", lua(source))
    dots, dashes = "." * 67, "-" * 80
    warning = (
        ":assert should only be used for boolean conditions (got number); "
        "for a variable that must not be nil write t:assert(var ~= nil)"
    )
    assert printed.replace("\r", "\n") == (
        f"Running 2 tests\n1/2 a {dots} [WAIT]\n1/2 a {dots} [PASS]\n{' ' * 70}[+warning]\n"
        f"2/2 b {dots} [WAIT]\n2/2 b {dots} [FAIL]\n"
        "Completed 2 asserts in 2 tests with 1 failure and 0 errors and 1 warning\n"
        f"{dashes}\nb\nno\nBOOL violation condition=false\n{dashes}\na\n{warning}\n{dashes}\n"
        "false\tAn error was found while running tests!\n"
    )


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("local x = {} t:ne(x, x)", 1),
        ("local x = torch.ones(1) t:assertTensorNe(x, x)", 1),
        ("t:ne(1, 1)", 0),
        ("t:ne({}, {})", 0),
        ("t:assertTensorEq(torch.ones(2, 1), torch.ones(2))", 1),
        ("t:assertTensorEq(torch.ones(2, 1), torch.zeros(2))", 0),
        ("t:eq(torch.ones(2, 1), torch.ones(2))", 0),
    ],
)
def test_warnings(lua: Lua, source: str, count: int) -> None:
    assert lua(f"local t = torch.Tester() {source} print(#t.warnings)") == f"{count}\n"


def test_what_runs_around_tests(lua: Lua) -> None:
    printed = lua("""
        local t, log, write = torch.Tester(), {}, io.write
        io.write = function() end
        t:add(function(name) log[#log + 1] = 'up' if name == 'b' then error('no') end end, '_setUp')
        t:add(function(name) log[#log + 1] = 'down ' .. name end, '_tearDown')
        for _, name in ipairs{'a', 'b'} do t:add(function() log[#log + 1] = 'test ' .. name end, name) end
        pcall(t.run, t)
        io.write = write
        print(table.concat(log, ', '), t.testError.a, t.testError.b)
    """)
    assert printed == "up, test a, down a, up, down b\t0\t1\n"


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


# What the original printed.
def test_counts_are_those_of_the_last_run(lua: Lua) -> None:
    printed = lua("""
    local t, failing = torch.Tester(), true
    t:add(function() t:assert(not failing, 'first') end, 'a')
    t:add(function() if failing then error('boom') end t:assert(true) end, 'b')
    t:add(function() t:assert(true) t:_warning('w') end, 'c')
    for _, name in ipairs{'a', 'b', 'c', 'c'} do print((pcall(t.run, t, name))) end
    failing = false
    print((pcall(t.run, t)))
    print('counts', #t.errors, t.assertionFail.a, t.testError.b, t._warningCount.c)""")
    assert re.findall("^(?:Completed|true|false|counts).*", printed, re.MULTILINE) == [
        "Completed 1 assert in 1 test with 1 failure and 0 errors",
        "false",
        "Completed 0 asserts in 1 test with 0 failures and 1 error",
        "false",
        "Completed 1 assert in 1 test with 0 failures and 0 errors and 1 warning",
        "true",
        "Completed 1 assert in 1 test with 0 failures and 0 errors and 1 warning",
        "true",
        "Completed 3 asserts in 3 tests with 0 failures and 0 errors and 1 warning",
        "true",
        "counts\t2\t0\t0\t1",
    ]


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
    assert re.search(r"stack traceback:\n\t\S+:7: in function [^\n]*\n\n-", printed)


def test_wrong_names_and_patterns(lua: Lua) -> None:
    printed = lua("print(pcall(torch.Tester().disable, {}, 3))")
    assert "Tester:disable: argument 1 must be a table (got 3)" in printed
    printed = lua("local t = torch.Tester() print(pcall(t.assertErrorPattern, t, print, 3))")
    assert "Tester:assertErrorPattern: argument 2 must be a string (got 3)" in printed


@pytest.mark.parametrize("error", ["{ 'a' }", "true", "nil"])
def test_a_pattern_is_only_looked_for_in_texts(lua: Lua, error: str) -> None:
    # Torch7 raised an error; the address of a table would match by chance.
    call = f"pcall(torch.Tester().assertErrorPattern, torch.Tester(), function() error({error}) end, '.')"
    printed = lua(f"print({call})")
    assert "Tester:assertErrorPattern: the error must be a string (got " in printed


def test_words_of_the_original(lua: Lua) -> None:
    program = """
    local t = torch.Tester()
    print(pcall(t.add, t, {a = {b = function() end}}))
    t:add{_setUp = function() end}
    print(pcall(t.add, t, {_setUp = function() end}))
    t = torch.Tester()
    t:add(function() t:assertne({}, {}) t:assertne(1, 2) t:ne({1}, {2}) end, 'objects')
    t:run()"""
    text = lua(program)
    assert "Nested sets of tests are not supported: a" in text
    assert "Only one set-up function allowed" in text
    assert "1 warning" in text and "assertne should only be used to compare basic" in text


def test_objects_are_compared_by_their_fields(lua: Lua) -> None:
    # In Torch7, too, objects of two classes with the same fields were equal.
    source = "local A, B, t = torch.class('A'), torch.class('B'), torch.Tester() A.__init = nil\n"
    assert lua(source + "print(t:eq(torch.factory'A'(), torch.factory'B'()))") == "true\n"


def test_tests_run_in_the_order_of_a_table_of_them(t7: Run) -> None:
    # The order in which Torch7 ran them.
    done = t7("-e", """
        if not require('torch.base.key_order').native then print 'abc zeta b T1_y T2x' return end
        local suite, t, ran = torch.TestSuite(), torch.Tester(), {}
        for _, name in ipairs{'zeta', 'T1_y', 'T2x', 'abc', 'b'} do
            suite[name] = function() ran[#ran + 1] = name end
        end
        local write = io.write io.write = function() end t:add(suite):run() io.write = write
        print(table.concat(ran, ' '))
    """)
    assert done.stdout == "abc zeta b T1_y T2x\n"


def test_counts_of_warnings(lua: Lua) -> None:
    """As Torch7: tests with warnings count once, warnings before the tests, too, and disabled ones last."""
    source = """
    local t = torch.Tester()
    t:add{a = function() t:assert(1) t:assert(2) end, b = function() end}
    t:disable('b')
    t:run()"""
    lines = lua(source).splitlines()
    counts = "Completed 2 asserts in 2 tests with 0 failures and 0 errors and 2 warnings and 1 disabled"
    assert counts in lines
    # A warning without a test has an empty line for its calls.
    at = lines.index("Should use TestSuite rather than plain lua table")
    assert lines[at + 1 : at + 3] == ["", "-" * 80]
