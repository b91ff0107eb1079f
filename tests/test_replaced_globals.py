"""Programs replace globals of Lua and delete fields of its tables: the library keeps its own functions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from t7shell.engine.engine import Engine

# Inputs that use much of the library, with messages that the library words.
INPUTS = [
    "local x = {} ; x.y.z = 1",
    "kept.torch.ones(3):add('x')",
    "kept.torch.load('/no/such/file')",
    "kept.torch.deserialize('abc')",
    "kept.torch.nosuch(1)",
    "kept.torch.Tensor(2)[5] = 1",
    "kept.nn.Linear(2, 3):forward(kept.torch.ones(5))",
    "kept.require 'no.such.module'",
    "kept.error({})",
    "kept.error(kept.setmetatable({}, { __tostring = function() return 'mine' end }))",
    "1 +",
    "kept.nosuch = kept.x + nil",
]
GOOD = [
    "x = kept.torch.rand(30, 30); kept.torch.svd(x); x:sort(1); (x * x):sum()",
    "kept.torch.deserialize(kept.torch.serialize { 1, 'two', { kept.torch.ones(3) }, function() end })[2]",
    "kept.nn.Sequential():add(kept.nn.SpatialConvolution(1, 2, 3, 3)):forward(kept.torch.ones(1, 9, 9))",
    "kept.torch.ones(2, 3)",
    "{ 1, { a = 2 } }",
]
KEPT = "kept = {} for k, v in pairs(_G) do kept[k] = v end kept.nn = require 'nn'"
VALUES = [
    "{}",
    "nil",
    "5",
    "true",
    "'text'",
    "function() kept.error('replaced', 0) end",
]
# The prompt prints by print, as programs may rely on; and `_G` names itself.
OWN = {"kept", "_G", "arg"}


def outcomes(engine: Engine) -> list[str]:
    found = []
    for source in INPUTS:
        result = engine.execute(source, "=input")
        found.append(result.message if not result.ok else "fine")
    for source in GOOD:
        result = engine.execute(source, "=input", "prompt")
        found.append(result.message if not result.ok else "fine")
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("value", VALUES)
def test_each_global_replaced_sequential(value: str) -> None:
    engine = Engine()
    assert engine.execute(KEPT, "=start").ok
    outcomes(engine)
    expected = outcomes(engine)
    assert expected[-len(GOOD) :] == ["fine"] * len(GOOD) and "fine" not in expected[: len(INPUTS)]
    assert expected[0] == "input:1: attempt to index field 'y' (a nil value)"
    names = [name for name in engine.lua.globals()["kept"] if name not in OWN]
    assert {"string", "table", "math", "pcall", "error", "type", "torch", "require"} <= set(names)
    wrong = []
    for name in sorted(names):
        assert engine.execute(f"{name} = {value}", "=replace").ok
        got = outcomes(engine)
        wrong += [(name, *pair) for pair in zip(got, expected, strict=True) if pair[0] != pair[1]]
        assert engine.execute(f"{name} = kept['{name}']", "=restore").ok
    assert wrong == []


TABLES = ["string", "table", "math", "io", "os", "debug", "coroutine", "bit", "ffi"]


def _functions(engine: Engine, table: str) -> list[str]:
    engine.lua.globals()["ffi"] = engine.lua.require("ffi")
    return sorted(key for key, value in engine.lua.globals()[table].items() if callable(value))


def _expected() -> list[str]:
    engine = Engine()
    assert engine.execute(KEPT, "=start").ok
    outcomes(engine)
    return outcomes(engine)


# What programs may put in the place of a function: nothing, one that fails, and one that gives nonsense.
FAULTY = {
    "nothing": "nil",
    "an error": "function() kept.error('replaced', 0) end",
    "a text": "function() return 'x' end",
    "a table": "function() return {} end",
}


@pytest.mark.parametrize("faulty", FAULTY)
def test_each_function_of_each_table_replaced_sequential(faulty: str) -> None:
    engine = Engine()
    assert engine.execute(KEPT, "=start").ok
    outcomes(engine)
    expected, wrong, count = outcomes(engine), [], 0
    for table in TABLES:
        for name in _functions(engine, table):
            source = f"saved = {table}.{name}; {table}.{name} = {FAULTY[faulty]}"
            assert engine.execute(source, "=replace").ok
            got = outcomes(engine)
            wrong += [(table, name, *pair) for pair in zip(got, expected, strict=True) if pair[0] != pair[1]]
            assert engine.execute(f"{table}.{name} = saved", "=restore").ok
            count += 1
    assert wrong == [] and count > 100


@pytest.mark.one_in(5)
@pytest.mark.parametrize("faulty", FAULTY)
@pytest.mark.parametrize("table", TABLES)
def test_functions_that_are_replaced_before_the_library_is_used(table: str, faulty: str) -> None:
    engine = Engine()
    replaced = " ".join(f"{table}.{name} = {FAULTY[faulty]}" for name in _functions(engine, table))
    assert engine.execute(f"{KEPT.partition('kept.nn')[0]} {replaced} kept.nn = require 'nn'", "=start").ok
    outcomes(engine)
    assert outcomes(engine) == _expected()


def test_the_library_calls_no_methods_of_strings() -> None:
    """string.find(x, y) is the library's own function, and x:find(y) the program's."""
    call = re.compile(r":(find|match|gsub|gmatch|format|rep|lower|upper|sub|byte)\b *[('\"[{]")
    # Those of pictures, profilers and tensors.
    other = re.compile(r"(self|picture|Profiler|Image):format\(|x:sub\(start|:byte\(\)|^ *--")
    library = Path(__file__).parents[1] / "lua"
    found = [
        f"{path.relative_to(library)}:{number}: {line.strip()}"
        for path in sorted(library.rglob("*.lua"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if call.search(line) and not other.search(line)
    ]
    assert found == []


def test_output_goes_where_the_program_directs_it() -> None:
    engine = Engine()
    source = (
        "lines = {} local write = io.write function io.write(text) lines[#lines + 1] = text end "
        "io.write('a') io.write = nil print(torch.ones(1)) io.write = write"
    )
    assert engine.execute(source, "=input").ok
    assert engine.execute("return lines[1], ('x'):rep(2)", "=input").values == ["a", "xx"]
