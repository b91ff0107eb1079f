"""Tensors in files: what is rejected, and names of dimensions, a string behind the object."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import t7shell
from t7shell.engine.engine import Engine

Lua = Callable[[str], str]
NAMES = "local function n(t) return table.concat(t:names(), ' ') end "


@pytest.fixture
def lua(fresh_lua: Lua) -> Lua:
    return lambda source: fresh_lua(NAMES + source)


@pytest.mark.parametrize("mode", ["binary", "ascii", "b32", "b64"])
def test_names_come_back(lua: Lua, tmp_path: Path, mode: str) -> None:
    path = tmp_path / "named.t7"
    program = f"""
        local x = torch.range(1, 6):view(2, 3):setNames('rows', 'columns')
        local y = x:float():rename('a', '_')
        local all = {{ x = x, list = {{ x:t(), x:storage(), x }}, plain = torch.ones(2, 3), y = y }}
        local function show(back)
           local list = back.list
           print(n(back.x), n(list[1]), n(list[3]), n(back.plain), n(back.y), rawequal(back.x, list[3]))
        end
        torch.save('{path}', all, '{mode}') show(torch.load('{path}', '{mode}'))
        show(torch.deserialize(torch.serialize(all, '{mode}'), '{mode}'))
        show(torch.deserializeFromStorage(torch.serializeToStorage(all, '{mode}'), '{mode}'))
        torch.save('{path}', x, '{mode}', false) print(n(torch.load('{path}', '{mode}', false)))
        torch.save('{path}', x, '{mode}')
    """
    line = "rows columns\tcolumns rows\trows columns\t_ _\ta _\ttrue\n"
    assert lua(program) == 3 * line + "rows columns\n"
    values = t7shell.load(path, None if mode == "ascii" else mode)
    assert np.array_equal(values, np.arange(1.0, 7).reshape(2, 3))


def test_the_object_before_them_is_what_it_was(lua: Lua) -> None:
    """Torch7's torch.load reads one object, and what is behind it not at all."""
    program = """
        local x = torch.range(1, 6):view(2, 3)
        local plain = torch.serialize(x)
        local named = torch.serialize(x:clone():setNames('rows', 'columns'))
        print(named:sub(1, #plain) == plain, #named - #plain)
        print(named:sub(#plain + 1):find('t7shell.names\\n1 rows,columns\\n'))
    """
    assert lua(program) == "true\t37\n9\t37\n"


def test_files_without_names_are_what_they_were(lua: Lua) -> None:
    program = """
        local x = torch.ones(2, 3)
        local before = torch.serialize(x)
        x:clone():setNames('a', 'b')
        print(torch.serialize(x) == before)
        local file = torch.MemoryFile()
        file:writeObject(x:clone():setNames('a', 'b')) file:writeObject(3) file:seek(1)
        print(n(file:readObject()), file:readObject())
    """
    assert lua(program) == "true\n_ _\t3\n"


@pytest.mark.parametrize(
    "text",
    [
        "1 a",
        "1 a,b,c",
        "1 a,a",
        "1 a b,c",
        "9 a,b",
        "1",
        "x a,b",
        "2 a,b",
        "99999999999999999999 a,b",
        "",
    ],
)
def test_names_that_cannot_be_mean_nothing(engine: Engine, text: str) -> None:
    program = f"""
        local plain = torch.serialize(torch.ones(2, 3))
        local text = 't7shell.names\\n' .. '{text}\\n'
        local length = string.char(#text, 0, 0, 0)
        local x = torch.deserialize(plain .. '\\2\\0\\0\\0' .. length .. text)
        assert(x:sum() == 6 and x:names()[1] == '_')
    """
    result = engine.execute(program)
    assert result.ok, result.report()


def test_a_text_that_ends_early_is_left(engine: Engine) -> None:
    """It is reported as what follows any object is: on the standard error."""
    program = """
        local plain = torch.serialize(torch.ones(2, 3))
        local x = torch.deserialize(plain .. '\\2\\0\\0\\0\\255\\0\\0\\0t7shell.names\\n1 a,b\\n')
        assert(x:names()[1] == '_')
    """
    result = engine.execute(program)
    assert result.ok, result.report()


@pytest.mark.parametrize(
    ("sizes", "strides", "offset", "expected"),
    [
        ("2 3", "0 1", "1", "2 3"),
        ("2 4", "3 1", "1", "ends at element 7 does not fit its storage of 6"),
        ("2 3", "3 1", "2", "ends at element 7 does not fit its storage of 6"),
        ("2 3", "3 -1", "1", "dimension 2 of a torch.DoubleTensor: size 3 and stride -1 are impossible"),
        ("2 0", "3 1", "1", "dimension 2 of a torch.DoubleTensor: size 0 and stride 1 are impossible"),
        ("1 3", f"{2**47} 1", "1", f"size 1 and stride {2**47} are impossible"),
        (f"{2**40} {2**13} 2", "0 0 0", "1", "at most 2^53 elements (got 1.80144e+16)"),
        (f"{2**40} {2**13} 1", "0 0 0", "6", f"{2**40} {2**13} 1"),
        ("2 3", "3 1", "0", "does not fit its storage of 6"),
    ],
)
def test_sizes_that_a_storage_does_not_have_are_rejected(
    fresh_lua: Lua, tmp_path: Path, sizes: str, strides: str, offset: str, expected: str
) -> None:
    path = tmp_path / "tensor.t7"
    storage = "4\n2\n3\nV 1\n19\ntorch.DoubleStorage\n6\n1 2 3 4 5 6\n"
    head = "4\n1\n3\nV 1\n18\ntorch.DoubleTensor\n"
    path.write_text(f"{head}{len(sizes.split())}\n{sizes}\n{strides}\n{offset}\n{storage}")
    printed = fresh_lua(f"""
        local ok, t = pcall(torch.load, '{path}', 'ascii')
        if not ok then return print(t) end
        local list = {{}}
        for d = 1, t:dim() do list[d] = string.format('%.0f', t:size(d)) end
        print(table.concat(list, ' '))
    """)
    assert expected in printed
