"""Functions of Python that packages call from Lua."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from t7shell.core import host
from t7shell.core.engine import Engine


@pytest.fixture
def garden(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package `garden` with a table of host functions."""
    table, work = ModuleType("t7shell.packages.garden.host"), ModuleType("t7shell.packages.garden.work")
    table.FUNCTIONS = {"water": "t7shell.packages.garden.work"}  # type: ignore[attr-defined]
    work.water = lambda litres: litres / 2  # type: ignore[attr-defined]
    for module in (ModuleType("t7shell.packages.garden"), table, work):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def test_a_package_calls_functions_of_its_own_table(garden: None) -> None:
    engine = Engine()
    with engine.capture() as out:
        assert engine.execute("print(require('torch.native.host').of('garden').water(5))").ok
    assert out == ["2.5\n"]


def test_a_function_that_no_table_has(garden: None) -> None:
    engine = Engine()
    result = engine.execute("require('torch.native.host').of('garden').burn()")
    assert "host function garden.burn does not exist" in result.message
    result = engine.execute("require('torch.native.host').burn()")
    assert "host function burn does not exist" in result.message


def test_every_function_of_the_table_can_be_imported() -> None:
    for name, function in host.functions().items():
        assert callable(function), name
