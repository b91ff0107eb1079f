"""Variables may be called `type`, `math` or `table`: the library must not see them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

Run = Callable[[str], str]


def test_operations_and_packages_first_used_after_globals_were_redefined(fresh_lua: Run) -> None:
    assert fresh_lua("""
        local print, ipairs = print, ipairs
        for _, name in ipairs { 'type', 'math', 'table', 'string', 'next', 'select', 'pairs', 'unpack' } do
           _G[name] = 'mine'
        end
        local sorted, places = torch.sort(torch.Tensor { 3, 1, 2 })
        print(sorted:sum(), places[1], torch.inverse(torch.eye(2)):trace())
        print(torch.deserialize(torch.serialize { 7 })[1])
        print(torch.FloatTensor { { 1, 2 } }:t():size(1))""") == "6\t2\t2\n7\n2\n"


def test_a_package_that_a_program_puts_first_is_taken(fresh_lua: Run, tmp_path: Path) -> None:
    (tmp_path / "pl").mkdir()
    (tmp_path / "pl" / "stringx.lua").write_text("return { mine = true }")
    source = f"package.path = '{tmp_path}/?.lua;' .. package.path print(require 'pl.stringx'.mine)"
    assert fresh_lua(source + " print(require 'pl.List' ~= nil)") == "true\ntrue\n"


def test_modules_of_the_library_are_found_without_package_path(fresh_lua: Run) -> None:
    assert fresh_lua("package.path = '' print(torch.ones(6):sum(), require 'pl.List' ~= nil)") == "6\ttrue\n"
