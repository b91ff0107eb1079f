"""What Torch7's shell added to Lua, in the dialect th."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    files = {
        "main.lua": "print(require './sub/a' .. require 'sub/b.lua' .. include 'sub/source.lua')",
        "sub/a.lua": "return 'a' .. require './deep/c' .. require '../sub/b' .. require './deep/c'",
        "sub/b.lua": "return 'b'",
        "sub/source.lua": "return ' ' .. debug.getinfo(1, 'S').source",
        "sub/deep/c.lua": "times = (times or 0) + 1 return 'c' .. times",
    }
    for name, source in files.items():
        (tmp_path / name).write_text(source)
    return tmp_path


@pytest.mark.parametrize("inside", [True, False])
def test_modules_by_path_are_beside_their_caller(t7: Run, folder: Path, inside: bool) -> None:
    # `sub/b.lua` is asked for in the main file: in its folder.
    script = "main.lua" if inside else str(folder / "main.lua")
    run = t7("--dialect", "th", script, cwd=folder if inside else None)
    assert run.stderr == ""
    assert run.stdout == f"ac1bc2b @{folder}/sub/source.lua\n".replace("\n", "\t\n")


def test_folders_by_path(t7: Run, folder: Path) -> None:
    (folder / "init.lua").write_text("return 'above'")
    (folder / "sub" / "init.lua").write_text("return 'here'")
    (folder / "sub" / ".hidden.lua").write_text("return 'hidden'")
    program = "print(require '..', require '.', require '../', require './', require '.hidden')"
    (folder / "sub" / "folders.lua").write_text(program)
    run = t7("--dialect", "th", "sub/folders.lua", cwd=folder)
    assert run.stdout == "above\there\tabove\there\thidden\t\n"
    assert t7("check", "sub/folders.lua", cwd=folder).returncode == 0


def test_a_module_that_is_not_there(t7: Run, folder: Path) -> None:
    run = t7("--dialect", "th", "-e", "require './none'", cwd=folder)
    assert "module './none' not found" in run.stderr
    assert "would be ./none.lua" in run.stderr


@pytest.mark.parametrize(
    ("expression", "text"),
    [("'%d' % 3", "3"), ("'%d %s' % {3, 'x'}", "3 x"), ("'%s' % 'a'", "a"), ("'10' % 3", "1")],
)
def test_formats_by_the_operator(t7: Run, expression: str, text: str) -> None:
    assert t7("--dialect", "th", "-e", f"io.write({expression})").stdout == text


def test_other_dialects_have_none_of_it(t7: Run, folder: Path) -> None:
    run = t7("-e", "torch.dialect 'th' torch.dialect 't7' print(pcall(load \"return '%d' % 3\"))", cwd=folder)
    assert "attempt to perform arithmetic on a string value" in run.stdout
    assert "not found" in t7("-e", "require './sub/a'", cwd=folder).stderr


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("text", "value", "shown"),
    [
        ("%.1f", "0.25", "0.3"),
        ("%.1f", "-0.25", "-0.3"),
        ("%.1f", "0.35", "0.3"),  # 0.35 is below its decimal half
        ("%.1f", "0.15", "0.1"),
        ("%.0f", "2.5", "3"),
        ("%6.2f", "0.125", "  0.13"),
        ("%.4f", "1.03125", "1.0313"),
        ("%.0e", "2.5", "3e+00"),
        ("%.1e", "125", "1.3e+02"),
        ("%.3g", "2.125", "2.13"),
        ("%5.1f%%", "0.25", "  0.3%"),
        ("%.17g", "0.703197479248046875", "0.70319747924804688"),  # the next number has other digits
        ("%.16g", "0.703125 + 2 ^ -46", "0.7031250000000142"),
        ("%.1f", "1e300 * 1e300", "inf"),
        ("%d", "2", "2"),
    ],
)
def test_halves_are_rounded_away_from_zero(t7: Run, text: str, value: str, shown: str) -> None:
    assert t7("--dialect", "th", "-e", f"io.write(('{text}'):format({value}))").stdout == shown


def test_halves_in_tensors(t7: Run) -> None:
    source = "io.write(tostring(torch.Tensor{1.03125, -1.03125, 0.5}))"
    assert t7("--dialect", "th", "-e", source).stdout.split()[:3] == ["1.0313", "-1.0313", "0.5000"]
    assert t7("-e", source).stdout.split()[:3] == ["1.0312", "-1.0312", "0.5000"]
