"""Functions of Python that packages call from Lua."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import t7shell
from t7shell.engine.engine import Engine

Lua = Callable[[str], str]


@pytest.fixture
def garden(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package `garden` with a table of host functions."""
    table, work = ModuleType("t7shell.packages.garden"), ModuleType("t7shell.packages.garden.work")
    table.FUNCTIONS = {".work": "water"}  # type: ignore[attr-defined]
    work.water = lambda litres: litres / 2  # type: ignore[attr-defined]
    for module in (table, work):
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


PACKAGES = [path.parent.name for path in Path(t7shell.__file__).parent.glob("packages/*/__init__.py")]
TABLES = {f"t7shell.packages.{name}": f"t7shell.packages.{name}" for name in PACKAGES}
TABLES["t7shell.host"], TABLES["t7shell.engine"] = "t7shell.host.functions", "t7shell.engine.engine"


def top_level_names(module: str, package: str) -> set[str]:
    """The names that a module defines, from its source: importing it may need a library or start MPI."""
    spec = find_spec(module, package)
    assert spec is not None
    if spec.origin == "built-in":
        return set(dir(import_module(module)))
    found: set[str] = set()
    for node in ast.parse(Path(str(spec.origin)).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


@pytest.mark.parametrize("package", TABLES)
def test_every_function_of_a_table_is_defined_by_its_module(package: str) -> None:
    for module, names in import_module(TABLES[package]).FUNCTIONS.items():
        assert set(names.split()) <= top_level_names(module, package)


@pytest.mark.parametrize(
    "call",
    [
        "npy4th.savenpy('made.npy', t)",
        "npy4th.savenpz('made.npz', {a = t})",
        "matio.save('made.mat', t)",
        "matio.save('made.mat', {a = {b = {t}}})",
        "signal.fft(t)",
    ],
)
def test_tensors_of_more_dimensions_than_arrays_have(lua: Lua, call: str) -> None:
    printed = lua(f"""
        local npy4th, matio, signal = require 'npy4th', require 'matio', require 'signal'
        local t = torch.ones(torch.LongStorage(1000):fill(1))
        print(pcall(function() {call} end))""")
    assert printed.startswith("false\ttest:4: "), printed
    assert "tensors must have at most 64 dimensions (got 1000)" in printed, printed


def test_exceptions_of_python(lua: Lua) -> None:
    """No object of Python where one is expected."""
    printed = lua("""
        local exchange = require('torch.native.host').of 'exchange'
        print(pcall(exchange.tensor, nil, 'x', 1))
        print(type(select(2, pcall(exchange.tensor, nil, 'x', 1))))""")
    first, second = printed.splitlines()
    assert "test:3: exchange.tensor: failed in Python: AttributeError: " in first
    assert second == "string"
