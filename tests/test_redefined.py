"""Variables may be called `type`, `math` or `table`: the library must not see them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell.engine import Engine

from .lua_output import printer


@pytest.fixture
def fresh() -> Callable[[str], str]:
    return printer(Engine())


def test_operations_and_packages_first_used_after_globals_were_redefined(fresh: Callable[[str], str]) -> None:
    assert fresh("""
        local print, ipairs = print, ipairs
        for _, name in ipairs { 'type', 'math', 'table', 'string', 'next', 'select', 'pairs', 'unpack' } do
           _G[name] = 'mine'
        end
        local sorted, places = torch.sort(torch.Tensor { 3, 1, 2 })
        print(sorted:sum(), places[1], torch.inverse(torch.eye(2)):trace())
        print(torch.deserialize(torch.serialize { 7 })[1])
        print(torch.FloatTensor { { 1, 2 } }:t():size(1))""") == "6\t2\t2\n7\n2\n"


def test_a_package_that_a_program_puts_first_is_taken(fresh: Callable[[str], str], tmp_path: Path) -> None:
    (tmp_path / "pl").mkdir()
    (tmp_path / "pl" / "stringx.lua").write_text("return { mine = true }")
    source = f"package.path = '{tmp_path}/?.lua;' .. package.path print(require 'pl.stringx'.mine)"
    assert fresh(source + " print(require 'pl.List' ~= nil)") == "true\ntrue\n"


def test_modules_of_the_library_are_found_without_package_path(fresh: Callable[[str], str]) -> None:
    assert fresh("package.path = '' print(torch.ones(6):sum(), require 'pl.List' ~= nil)") == "6\ttrue\n"
