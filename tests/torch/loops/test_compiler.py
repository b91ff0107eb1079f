"""Rules that the JIT compiler is told through its events: what is not worked on again."""

from __future__ import annotations

from collections.abc import Callable

Run = Callable[[str], str]


def test_a_loop_of_too_many_exits_for_two_turns_is_compiled_as_one(fresh_lua: Run) -> None:
    source = """
    local report = require 'shell.trace_report'
    local lines = { 'local a, b = ... for _ = 1, 2000 do local x ' }
    for _ = 1, 10 do lines[#lines + 1] = 'x = torch.cmul(a[1], b[2]) ' end
    local run = loadstring(table.concat(lines) .. ' end', '=program')
    report.start()
    run(torch.ones(4, 4), torch.ones(4, 4))
    local text = report.stop()
    print(text:match 'program:1: %l+', text:match '(%d+)  program:1, begun at program:1: too many exits')
    """
    assert fresh_lua(source) == "program:1: compiled\t1\n"


def test_a_function_of_the_program_is_called_beside_the_rules(fresh_lua: Run) -> None:
    """One at a time, until it is detached, as LuaJIT does."""
    source = """
    local report = require 'shell.trace_report'
    local first, second = {}, {}
    local function hear(events) return function(what) events[#events + 1] = what end end
    local hear_first, hear_second = hear(first), hear(second)
    jit.attach(hear_first, 'trace')
    jit.attach(hear_second, 'trace')
    report.start()
    loadstring('local s = 0 for i = 1, 1000 do s = s + i end', '=program')()
    jit.attach(hear_second)
    loadstring('local s = 0 for i = 1, 1000 do s = s + i end', '=second')()
    local text = report.stop()
    print(#first, table.concat(second, ' '), text:match 'program:1: %l+', text:match 'second:1: %l+')
    print(pcall(jit.attach, nil, 'trace'))
    """
    assert fresh_lua(source) == (
        "0\tstart stop\tprogram:1: compiled\tsecond:1: compiled\n"
        "false\ttest:14: jit.attach: argument 1 must be a function (got nil)\n"
    )


BEGIN = """
local compiler = require 'torch.loops.compiler'
local heard = {}
local function listen(what, trace, f, pc, other) heard[#heard + 1] = what == 'abort' and other or nil end
compiler.listen(listen)
jit.off()    -- No event is the compiler's own.
local function f() end
local function begin(trace, parent, exit) compiler.event('start', trace, f, 0, parent, exit) end
local function stop(trace) compiler.event('stop', trace, f, 0) end
local function abort(trace, reason) compiler.event('abort', trace, f, 0, reason) end
"""

END = """
jit.on()
compiler.forget(listen)
"""


def test_a_trace_for_each_turn_of_a_loop_comes_to_an_end(fresh_lua: Run) -> None:
    """Each goes on where the one before ended, at the same line of the program."""
    source = """
    for k = 1, 4 do
       begin(9000 + k, 8999 + k, -1)
       if k < 4 then stop(9000 + k) else abort(9000 + k, 2) end
    end
    begin(9101, 9100, -1) abort(9101, 2)
    print(table.concat(heard, ' '))
    """
    assert fresh_lua(BEGIN + source + END) == "-1 2\n"


def test_an_exit_with_a_trace_that_is_too_long_is_not_tried_again(fresh_lua: Run) -> None:
    source = """
    for _ = 1, 2 do begin(9001, 9000, 7) abort(9001, 30) end
    for _ = 1, 3 do begin(9001, 9000, 8) abort(9001, 10) end
    for _ = 1, 2 do begin(9001, 9000, 9) abort(9001, 7) end
    print(table.concat(heard, ' '))
    """
    assert fresh_lua(BEGIN + source + END) == "30 -1 10 10 -1 7 7\n"


def test_what_was_refused_leaves_the_limits_as_they_were(fresh_lua: Run) -> None:
    source = """
    for _ = 1, 2 do begin(9001, 9000, 7) abort(9001, 30) end
    """ + END + """
    local report = require 'shell.trace_report'
    report.start()
    local run = loadstring('local a = ... for _ = 1, 300 do a:add(1):mul(2):add(3) end', '=program')
    run(torch.ones(4))
    print(report.stop():match 'program:1: %l+')
    """
    assert fresh_lua(BEGIN + source) == "program:1: compiled\n"
