"""The switch of compiled_loops, and memory whose protection cannot be changed."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from t7shell.engine.compiled_loops import CompiledLoops
from t7shell.engine.engine import Engine

LOOP = "local x = 0 for i = 1, 1e6 do x = x + i end return x"

Code = list[bytes]


def code_of(loops: CompiledLoops) -> Code:
    """The machine code of all traces that are known."""
    count = int(loops._header.count)
    rows = [(loops._rows + 48 * i) for i in range(count)]
    fields: Any = [(ctypes.c_double * 6).from_address(row) for row in rows]
    return [ctypes.string_at(int(row[0]), int(row[1])) for row in fields]


@pytest.fixture
def loops() -> CompiledLoops:
    engine = Engine()
    found = CompiledLoops(engine)
    if not found.available:
        pytest.skip("loops are stopped on x86-64 only")
    assert engine.execute(LOOP).ok
    return found


def test_code_is_changed_and_restored(loops: CompiledLoops) -> None:
    before = code_of(loops)
    loops.stop()
    assert code_of(loops) != before
    assert loops.restore()
    assert code_of(loops) == before


def test_protection_that_cannot_be_changed(loops: CompiledLoops) -> None:
    loops._protect = lambda *_: -1
    before = code_of(loops)
    loops.stop()
    assert code_of(loops) == before
    assert not loops.restore()


def test_the_switch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("T7_BREAK_LOOPS", "off")
    engine = Engine()
    loops = CompiledLoops(engine)
    assert engine.execute(LOOP).ok
    loops.stop()
    assert not loops.restore()
