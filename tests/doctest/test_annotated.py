"""Lua's own habit of showing results behind an arrow, in Markdown and in Lua files."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.cli.main import main
from t7shell.doctest.annotated import annotate, read_marks
from t7shell.doctest.report import Report, Verdict
from t7shell.doctest.session import LocalSession
from tests.documents import run_document


@pytest.fixture(scope="module")
def session() -> LocalSession:
    return LocalSession()


def run(folder: Path, text: str, name: str = "page.md") -> Report:
    path = folder / name
    path.write_text(text)
    return run_document(path, LocalSession)


def verdicts(report: Report) -> list[tuple[int, Verdict]]:
    return [(outcome.example.line, outcome.verdict) for outcome in report.outcomes]


PASSED, FAILED, RAN, NOT_RUN = Verdict.PASSED, Verdict.FAILED, Verdict.RAN, Verdict.NOT_RUN

RIGHT = [
    "print(2) --> 2",
    "print('a', 1) --> a 1",
    "print(1, 2) --> 1, 2",
    "math.floor(3.7) --> 3",
    "= #{1, 2} --> 2",
    "= 1, 2 --> 1 2",
    "('x'):rep(3) --> \"xxx\"",
    "('x'):rep(3) --> xxx",
    "local x = 2 ^ 3 --> 8",
    "for i = 1, 3 do io.write(i, ' ') end --> 1 2 3",
    "print(math.pi) --> 3.14...",
    "print(math.pi) -- => 3.1415926535898",
    "print(torch.ones(2)) --> 1\n--> 1\n--> [torch.DoubleTensor of size 2]",
    "print(1)\n--> 1",
    "print(torch.ones(2)) -->\n-- 1\n-- 1\n-- [torch.DoubleTensor of size 2]",
    "error('no') --> error: no",
    "torch.ones(2):add(torch.ones(3)) --> error",
    "print('--> 3') --> --> 3",
    "print(({\n   1\n})[1]) --> 1",
    "print(1) print(2) --> 1 2",
]


@pytest.mark.parametrize("code", RIGHT)
def test_right_annotations_pass(tmp_path: Path, code: str) -> None:
    report = run(tmp_path, f"```lua\n{code}\n```\n")
    assert report.ok and len(report.outcomes) == 1, report.text()
    assert report.outcomes[0].verdict is PASSED


WRONG = [
    "print(2) --> 3",
    "math.floor(3.7) --> 4",
    "('x'):rep(3) --> \"xx\"",
    "local x = 2 ^ 3 --> 9",
    "print('a') --> b",
    "= 1 --> error: no",
    "error('yes') --> error: no",
]


@pytest.mark.parametrize("code", WRONG)
def test_wrong_annotations_fail(tmp_path: Path, code: str) -> None:
    (failure,) = run(tmp_path, f"```lua\n{code}\n```\n").failures
    assert failure.example.annotation


def test_local_variables_live_from_one_annotation_to_the_next(tmp_path: Path) -> None:
    code = "```lua\nlocal x = 1\nprint(x) --> 1\nx = x + 1\nprint(x) --> 2\nprint(x) --> 3\n```\n"
    assert verdicts(run(tmp_path, code)) == [(3, PASSED), (5, PASSED), (6, FAILED)]


def test_remarks_behind_assignments_are_no_values(tmp_path: Path) -> None:
    report = run(tmp_path, "```lua\nlocal x = torch.ones(2) --> all ones\nprint(x:sum()) --> 2\n```\n")
    assert [verdict for _, verdict in verdicts(report)] == [RAN, PASSED]


def test_what_an_error_keeps_from_running_is_said(tmp_path: Path) -> None:
    report = run(tmp_path, "```lua\nprint(1) --> 1\nerror('stop')\nprint(2) --> 2\n```\n")
    assert verdicts(report) == [(2, FAILED), (2, PASSED), (4, NOT_RUN)]
    assert "stop" in report.outcomes[0].error


def test_transcripts_may_have_both(tmp_path: Path) -> None:
    report = run(tmp_path, "```\n> = 1 + 1 --> 2\n2\n> x = 5 --> 5\n> print(x) --> 6\n```\n")
    assert verdicts(report) == [(2, PASSED), (2, PASSED), (4, PASSED), (5, FAILED)]


def test_marks_leave_lines_and_values_alone(session: LocalSession) -> None:
    source = "local x = 1\nfor i = 1, 2 do\n   print(i) --> 1\nend\n= x --> 1"
    marked, notes = annotate(source, session.check)
    assert marked.count("\n") == source.count("\n")
    marked, notes = annotate("1 + 1 --> 2", session.check)
    text, seen = read_marks(session.run(marked).text)
    assert text == "2\n" and seen[0].values == ["2\n"] and notes[0].wanted == "2"


PROGRAM = """\
#!/usr/bin/env t7
-- Areas of shapes.
--
-- > area.square(3)
-- 9
-- > area.square(-1)
-- ...: negative side

local area = {}

-- The area of a square: area.square(2) --> is no example
-- area.square(2) --> 4
-- area.square(2) --> 5
function area.square(side)
   if side < 0 then error('negative side') end
   return side * side
end

print(area.square(4)) --> 16
--[[ And in a long comment:
> = area.square(5)
25
]]
return area
"""


def test_comments_of_a_lua_file_are_examples(tmp_path: Path) -> None:
    report = run(tmp_path, PROGRAM, "area.lua")
    assert verdicts(report) == [
        (19, PASSED), (4, PASSED), (6, PASSED), (12, PASSED), (13, FAILED), (21, PASSED),
    ]


def test_fences_in_comments_are_read_as_in_markdown(tmp_path: Path) -> None:
    comment = "-- Usage:\n-- ```lua\n-- print(n)\n-- ```\n-- ```output\n-- 3\n-- ```\n"
    report = run(tmp_path, comment + "n = 3\n", "n.lua")
    assert verdicts(report) == [(1, RAN), (3, PASSED)]


def test_an_update_writes_behind_the_arrow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.lua"
    path.write_text("local x = 2\nprint(x) --> 1\nprint(x, x)   --> 2 2\n-- math.abs(-3) --> 2\n")
    assert main(["doctest", "--update", str(path)]) == 0
    assert path.read_text() == "local x = 2\nprint(x) --> 2\nprint(x, x)   --> 2 2\n-- math.abs(-3) --> 3\n"
    assert "2 updated, 0 failed" in capsys.readouterr().out


def test_a_file_without_examples_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text("Nothing here.\n")
    assert main(["doctest", str(tmp_path / "a.md")]) == 2
    assert "no examples in" in capsys.readouterr().err
