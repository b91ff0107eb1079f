"""Storages beyond the conformance chapter: element types, conversions as in C, mapped files, sharing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from t7shell.engine.engine import Engine
from tests.conftest import Run
from tests.views_model import DTYPES

Lua = Callable[[str], str]


@pytest.mark.parametrize("kind", DTYPES)
def test_elements_are_stored_and_read(lua: Lua, kind: str) -> None:
    source = (
        f"local s = torch.{kind}Storage{{1, 2, 3}} s[2] = 100 print(#s, s[1], s[2], s[3], s:elementSize())"
    )
    assert lua(source) == f"3\t1\t100\t3\t{np.dtype(DTYPES[kind]).itemsize}\n"


@pytest.mark.parametrize(
    ("kind", "value", "stored"),
    [
        ("Byte", "-1", "255"),
        ("Byte", "256", "0"),
        ("Char", "128", "-128"),
        ("Short", "40000", "-25536"),
        ("Int", "2^31", "-2147483648"),
        ("Int", "1.9", "1"),
        ("Int", "-1.9", "-1"),
        ("Long", "2^53", "9.007199254741e+15"),
        ("Float", "0.1", "0.10000000149012"),
        ("Half", "0.1", "0.099975585937500"[:14]),
        ("Half", "65504", "65504"),
        ("Half", "1e6", "inf"),
        ("Int", "'0x20'", "32"),
        ("Int", "'010'", "8"),
        ("Int", "'1e1'", "1"),
        ("Int", "'abc'", "0"),
    ],
)
def test_numbers_are_converted_as_c_does(lua: Lua, kind: str, value: str, stored: str) -> None:
    got = lua(f"local s = torch.{kind}Storage(1) s[1] = {value} print(s[1])").strip()
    assert got == stored or float(got) == pytest.approx(float(stored), rel=1e-9)


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_copy_between_types_follows_numpy(lua: Lua, source: str, target: str) -> None:
    # Many times, so that the compiled loops are tried as well.
    program = f"""
    local a, b = torch.{source}Storage(100), torch.{target}Storage(100)
    for i = 1, 100 do a[i] = i % 90 end
    for _ = 1, 60 do b:fill(0) b:copy(a) end
    print(table.concat(b:totable(), ' '))
    """
    wanted = (np.arange(1, 101) % 90).astype(DTYPES[source]).astype(DTYPES[target])
    assert [float(n) for n in lua(program).split()] == wanted.tolist()


def test_handles_on_the_same_memory_are_equal(lua: Lua) -> None:
    assert lua(
        "local x = torch.zeros(3) print(x:storage() == x:storage(), x:storage() == torch.DoubleStorage(3))"
    ) == ("true\tfalse\n")


def test_view_of_a_storage_shares_it(lua: Lua) -> None:
    source = (
        "local s = torch.IntStorage{1, 2, 3, 4} local v = torch.IntStorage(s, 2, 2) v[1] = 9 print(s[2], #v)"
    )
    assert lua(source) == "9\t2\n"


def test_resize_keeps_what_is_there(lua: Lua) -> None:
    source = (
        "local s = torch.LongStorage{1, 2, 3} s:resize(5) s:resize(2) s:resize(3) print(#s, s[1], s[2], s[3])"
    )
    assert lua(source) == "3\t1\t2\t3\n"


def test_bytes_as_a_string(lua: Lua) -> None:
    assert (
        lua("local s = torch.CharStorage():string('a\\0b') print(#s, #s:string(), s[1], s[2])")
        == "3\t3\t97\t0\n"
    )


@pytest.mark.parametrize("shared", ["true", "false"])
def test_mapped_file(engine: Engine, tmp_path: Path, shared: str) -> None:
    name = tmp_path / "numbers"
    np.array([1.5, 2.5, 3.5]).tofile(name)
    result = engine.execute(
        f"local s = torch.DoubleStorage('{name}', {shared}) s[2] = 9 return #s, s[1], s[2]"
    )
    assert result.values == [3, 1.5, 9]
    assert np.fromfile(name).tolist() == ([1.5, 9, 3.5] if shared == "true" else [1.5, 2.5, 3.5])


def test_mapped_file_is_made_as_long_as_asked(engine: Engine, tmp_path: Path) -> None:
    name = tmp_path / "new"
    assert engine.execute(f"local s = torch.IntStorage('{name}', true, 10) s[10] = 5 return #s").values == [
        10
    ]
    assert np.fromfile(name, "i4").tolist() == [0] * 9 + [5]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("torch.DoubleStorage(3)[4]", "torch.DoubleStorage: index 4 is out of bounds: the size is 3"),
        ("torch.DoubleStorage(3)[0]", "torch.DoubleStorage: index 0 is out of bounds: the size is 3"),
        ("torch.DoubleStorage(-1)", "must be a size of at least 0 (got -1)"),
        (
            "torch.DoubleStorage(3):resize(-1)",
            "resize: argument 1 must be a size of at least 0 (got -1)",
        ),
        ("torch.DoubleStorage{1, {}}", "element 2 of the table must be a number (got table)"),
        ("torch.DoubleStorage(3):fill({})", "fill: argument 1 must be a number (got table)"),
        ("torch.DoubleStorage(3):copy(torch.DoubleStorage(2))", "a storage of 3 elements cannot take 2"),
        (
            "torch.DoubleStorage(torch.DoubleStorage(3), 2, 3)",
            "3 elements from position 2 out of bounds of a storage of size 3",
        ),
        (
            "torch.DoubleStorage('/no/such/file')",
            "unable to open file </no/such/file>: No such file or directory",
        ),
        ("torch.DoubleStorage(2^60)", "not enough memory"),
    ],
)
def test_errors_say_what_is_wrong(engine: Engine, source: str, message: str) -> None:
    result = engine.execute(f"local r = {source} return r")
    assert not result.ok
    assert result.message.startswith("stdin:1: ") and message in result.message


def test_mapped_memory_cannot_be_resized(engine: Engine, tmp_path: Path) -> None:
    name = tmp_path / "numbers"
    np.zeros(3).tofile(name)
    result = engine.execute(f"torch.DoubleStorage('{name}'):resize(100)")
    assert not result.ok and "cannot resize a storage of 3 elements" in result.message


@pytest.mark.skipif(sys.platform == "win32", reason="there is no shared memory with names")
def test_shared_memory(engine: Engine) -> None:
    """Two storages of one name share it; the name goes with the first of them, what it stood for stays."""
    name = f"t7_test_{os.getpid()}"
    result = engine.execute(f"""
        local u = torch.IntStorage('{name}', true, 3, true)
        local function fill() torch.IntStorage('{name}', true, 3, true):fill(4) end
        fill()
        u[2] = 5
        collectgarbage()
        local again = pcall(torch.IntStorage, '{name}', true, -1, true)
        return u[1], u[2], #u, again
    """)
    assert result.values == [4, 5, 3, False]


def test_shared_memory_goes_with_the_process(t7: Run) -> None:
    name = f"t7_test_{os.getpid()}"
    done = t7("-e", f"s = torch.IntStorage('{name}', true, 3, true)")
    assert done.returncode == 0
    assert "No such file" in t7("-e", f"torch.IntStorage('{name}', false, -1, true)").stderr


@pytest.mark.parametrize("arguments", ["1, 5", "'true'", "true, 5, 1"])
def test_how_a_file_is_mapped_is_said_by_booleans(engine: Engine, tmp_path: Path, arguments: str) -> None:
    # As in Torch7; a number is not taken for one, which would create or extend the file.
    path = tmp_path / "x"
    result = engine.execute(f"return torch.ByteStorage({str(path)!r}, {arguments})")
    assert not result.ok and "must be a boolean" in result.report() and not path.exists()
