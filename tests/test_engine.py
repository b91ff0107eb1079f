"""Evaluating one piece of source: values, errors, unfinished input, captured output."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from t7shell.engine import luajit
from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.host import hooks
from tests.conftest import Run


def test_expression_gives_its_values_and_their_number(engine: Engine) -> None:
    result = engine.execute("1 + 1, nil, 'a', nil", mode="prompt")
    assert (result.status, result.values, result.count) == (Status.OK, [2, None, "a", None], 4)


def test_no_value_is_told_from_nil(engine: Engine) -> None:
    assert engine.execute("(function() end)()", mode="prompt").count == 0
    assert engine.execute("nil", mode="prompt").values == [None]


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("= 3", [3]),
        ("=1, 2", [1, 2]),
        ("  = 4", [4]),
        ("1 -- one", [1]),
        ("return 5", [5]),
        ("-- nothing", []),
        ("", []),
        ("#'abc'", [3]),
        ("local x = 3", []),
        ("(function(...) return ... end)(1, 2)", [1, 2]),
    ],
)
def test_forms_of_input(engine: Engine, source: str, values: list[object]) -> None:
    result = engine.execute(source, mode="prompt")
    assert result.ok and result.values == values and not result.silent


@pytest.mark.parametrize("source", ["1;", "1 ; ", "return 1;", "= 1;", "'a;b';", "1; -- one"])
def test_semicolon_silences(engine: Engine, source: str) -> None:
    result = engine.execute(source, mode="prompt")
    assert result.ok and result.silent and result.count == 1


def test_semicolon_within_the_input_does_not_silence(engine: Engine) -> None:
    assert not engine.execute("'a;'", mode="prompt").silent
    assert not engine.execute("1 -- one;", mode="prompt").silent


@pytest.mark.parametrize(
    "source",
    ["for i = 1, 3 do", "x = {1,", "1 +", "f(", "[[ text", "--[[ remark", "function f()", "= 1 +", "'a\\"],
)
def test_unfinished_input(engine: Engine, source: str) -> None:
    assert engine.check(source).status is Status.INCOMPLETE
    assert engine.execute(source, mode="prompt").status is Status.INCOMPLETE


@pytest.mark.parametrize(
    "source", ["x = = 3", "1 2", "'abc", "end", "1) + (2", "#x = 3", "x = '<eof>", "= x = 1"]
)
def test_wrong_input(engine: Engine, source: str) -> None:
    result = engine.execute(source, mode="prompt")
    assert result.status is Status.SYNTAX_ERROR
    assert result.message.startswith("stdin:1:")


def test_input_is_evaluated_once(engine: Engine) -> None:
    engine.execute("t7_count = 0", mode="prompt")
    engine.execute("(function() t7_count = t7_count + 1 error('no') end)()", mode="prompt")
    assert engine.execute("t7_count", mode="prompt").values == [1]


def test_error_names_the_line_and_the_user_functions_only(engine: Engine) -> None:
    result = engine.execute("local function f()\n  error('boo')\nend\nf()", "@user.lua")
    assert result.status is Status.ERROR
    assert result.message == "user.lua:2: boo"
    assert result.traceback.splitlines() == ["\tuser.lua:2: in function 'f'", "\tuser.lua:4: in main chunk"]


def test_error_in_the_library_blames_the_caller(engine: Engine) -> None:
    result = engine.execute("local x\nx = paths.filep({})", "@user.lua")
    assert result.message == "user.lua:2: paths.filep: argument 1 must be the name of a file (got table)"
    assert result.traceback == "\tuser.lua:2: in main chunk"


@pytest.mark.parametrize(
    ("thrown", "message"),
    [
        ("{}", "(error object is a table value: {})"),
        (
            "{code = 2, {}, 'a', [2.5] = {1}}",
            '(error object is a table value: {{}, "a", [2.5] = {...}, code = 2})',
        ),
        ("setmetatable({}, {__tostring = function() return 'mine' end})", "mine"),
        (
            "setmetatable({}, {__tostring = function() error('no') end})",
            "(error object is a table value: {})",
        ),
        ("nil", "(error object is a nil value)"),
        ("42", "stdin:1: 42"),
        ("true", "true"),
    ],
)
def test_error_objects_of_any_type(engine: Engine, thrown: str, message: str) -> None:
    result = engine.execute(f"error({thrown})")
    assert result.status is Status.ERROR and result.message == message


def test_python_exception_survives_with_its_type(engine: Engine) -> None:
    def fail() -> None:
        raise KeyError("missing")

    result = engine.call(engine.lua.eval("function(f) f() end"), fail)
    assert isinstance(result.exception, KeyError)
    assert "KeyError: 'missing'" in result.message


def test_python_exception_can_be_caught_in_lua(engine: Engine) -> None:
    def fail() -> None:
        raise ValueError("too big")

    protect = engine.lua.eval("function(f) local ok, e = pcall(f) return ok, tostring(e) end")
    result = engine.call(protect, fail)
    assert result.values == [False, "too big"]


def test_stack_overflow_is_an_error(engine: Engine) -> None:
    result = engine.execute("local function f(n) return 1 + f(n + 1) end f(1)")
    assert result.status is Status.ERROR and result.message.endswith("stack overflow")
    assert engine.execute("1", mode="prompt").values == [1]


def test_long_traceback_is_cut_in_the_middle(engine: Engine) -> None:
    source = "local function f(n) if n == 0 then error('deep') end f(n - 1) return n end f(100)"
    result = engine.execute(source)
    lines = result.traceback.splitlines()
    assert len(lines) < 40 and "\t..." in lines
    assert lines[-1].endswith("in main chunk")


def test_arguments_of_a_script(engine: Engine) -> None:
    assert engine.execute("return select('#', ...), ...", args=["a", "b c"]).values == [2, "a", "b c"]


def test_script_header_is_skipped_and_keeps_the_line_numbers(engine: Engine) -> None:
    result = engine.execute("#!/usr/bin/env t7\nerror('here')", "@x.lua")
    assert result.message == "x.lua:2: here"


def test_strings_are_bytes(engine: Engine) -> None:
    assert engine.execute("#'é'", mode="prompt").values == [2]
    assert engine.run_captured("'é\\255'")[0] == "é\udcff\n"


def test_capture_takes_all_ways_to_print(engine: Engine) -> None:
    text, result = engine.run_captured(
        "print(1, nil) io.write('a', 2) io.stdout:write('b\\n') return 'value', 3"
    )
    assert result.ok
    assert text == "1\tnil\na2b\nvalue\t3\n"


def test_captures_nest_and_end(engine: Engine) -> None:
    with engine.capture() as outer:
        engine.execute("print('before')")
        assert engine.run_captured("print('inside')")[0] == "inside\n"
        engine.execute("print('after')")
    assert outer == ["before\nafter\n"]


def test_a_kept_print_is_captured_too(engine: Engine) -> None:
    assert engine.run_captured("local write = io.write; write('kept');")[0] == "kept"


def test_files_are_not_captured(engine: Engine, tmp_path: object) -> None:
    name = f"{tmp_path}/out.txt"
    write = f"local f = io.open('{name}', 'w') f:write('to the file') f:close() "
    text, result = engine.run_captured(write + f"return io.open('{name}'):read('*a')")
    assert result.ok and text == "to the file\n"


def test_captured_output_before_an_error_is_kept(engine: Engine) -> None:
    text, result = engine.run_captured("print('so far') error('boo')")
    assert text == "so far\n" and result.message == "stdin:1: boo"


def test_programs_see_no_python(engine: Engine) -> None:
    assert engine.execute("python == nil and package.loaded.python == nil", mode="prompt").values == [True]


def test_packages_are_global_without_require(engine: Engine) -> None:
    source = "for _, n in ipairs{'torch', 'paths', 'sys', 'xlua'} do assert(_G[n] == require(n), n) end"
    assert engine.execute(source).ok


def test_exit_in_an_embedded_state_raises(engine: Engine) -> None:
    with pytest.raises(SystemExit) as info:
        engine.execute("os.exit(3)")
    assert info.value.code == 3


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("x = 3\nx", [3]),
        ("x = 3\n= x", [3]),
        ("local y = 4\n\ny +\n1", [5]),
        ("x = 1\nx -- comment", [1]),
        ("x = 9\nmath.sqrt(x)", [3]),
        ("f = function()\n  return 5\nend\nf()\n-- comment\n", [5]),
        ("x = type\n{1}", []),
        ("y = 9\nlocal y\n= math.sqrt(y)", []),
        ("x = 9\nmath.sqrt(x)\n--[[ a\nb ]]", [3]),
        ("x = [[\nmath.sqrt(9)\n]]", []),
        ("x = 9\nmath.sqrt(x) y = 1", []),
    ],
)
def test_lines_that_end_in_an_expression(engine: Engine, source: str, values: list[int]) -> None:
    """As they are pasted."""
    result = engine.execute(source, mode="prompt")
    assert result.ok and result.values == values


@pytest.mark.parametrize(
    ("source", "values", "silent"),
    [
        ("x = 5; x", [5], False),
        ("x = 5; x;", [5], True),
        ("local s = 'a; b'; s, #s", ["a; b", 4], False),
        ("t = {1; 2}; t[1]", [1], False),
        ("for i = 1, 2 do\n  n = i\nend; n", [2], False),
        ("s = [[a;\nb]]; s", ["a;\nb"], False),
        ("y = 1 -- ; y", [], False),
        ("y = 9; math.sqrt(y)", [3], False),
    ],
)
def test_expression_behind_a_semicolon(
    engine: Engine, source: str, values: list[object], silent: bool
) -> None:
    assert engine.check(source).ok
    result = engine.execute(source, mode="prompt")
    assert result.ok and result.values == values and result.silent == silent


@pytest.mark.parametrize(
    "source",
    ["function f()\n x", "x = {\n y", "s = [[a\nx", "if x then\n x", "f = function() x = 5; x", "x = {1; x"],
)
def test_lines_that_are_unfinished(engine: Engine, source: str) -> None:
    assert engine.check(source, pasted=True).status is Status.INCOMPLETE


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("print({1, 'a'}, 2)", '{\n  1 : 1\n  2 : "a"\n}\n2\n'),
        ("print(2, {x = {}})", "2\t{\n  x : {}\n}\n"),
        ("print({})", "{}\n"),
        ("print(setmetatable({1}, {__tostring = function() return 'me' end}), 2)", "me\t2\n"),
        ("print(1, nil, 'a')", "1\tnil\ta\n"),
    ],
)
def test_print_shows_tables(t7: Run, source: str, printed: str) -> None:
    assert t7("-e", source).stdout == printed
    assert t7("-e", "print(tostring({}):match('table: 0x'))").stdout == "table: 0x\n"


def test_the_collector_never_finds_what_lua_holds_before_its_state_is_closed() -> None:
    class Held:
        def __call__(self) -> None:
            pass

    engine = Engine()
    held = Held()
    engine.lua.globals().held = held
    engine.myself = engine  # type: ignore[attr-defined]
    del engine
    references = weakref.ref(held)
    del held
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        second = Engine()
        second.lua.globals().held = Held()
        second.myself = second  # type: ignore[attr-defined]
        del second
        gc.collect()
        assert not [thing for thing in gc.garbage if isinstance(thing, Held)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()
    assert references() is None


def test_packages_do_what_waits_for_the_end_of_an_input(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(hooks, "after_input", [(lambda: not done, lambda: done.append("shown"))])
    assert engine.execute("x = 1").ok and engine.execute("x = 2").ok
    assert done == ["shown"]


def test_packages_do_what_waits_for_the_end_of_a_script(engine: Engine) -> None:
    source = "table.insert(require('shell.hooks').at_end, function() io.write 'ended' end)"
    assert engine.execute(source).ok
    with engine.capture() as out:
        assert engine.finish().ok
    assert out == ["ended"]


def test_nothing_is_collected_while_the_library_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    def state_with_garbage() -> Any:
        lua = luajit.new_state()
        lua.execute(
            "collected = false local p = newproxy(true)"
            " getmetatable(p).__gc = function() collected = true end"
        )
        return lua

    monkeypatch.setattr("t7shell.engine.engine.new_state", state_with_garbage)
    values = Engine().execute("local before = collected collectgarbage() return before, collected").values
    assert values == [False, True]
