"""Running documents: verdicts, sessions that are lost, directives, reports, overrides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from t7shell.doctest.compare import Rule
from t7shell.doctest.report import Randomness, Report, Verdict, difference
from t7shell.doctest.session import ChildSession, LocalSession, Session, SessionLost
from t7shell.engine.result import Status
from t7shell.kernel.notebook_file import NotebookError
from tests.documents import Override, StaleOverride, run_document

PASSED, RAN, FAILED, SKIPPED = Verdict.PASSED, Verdict.RAN, Verdict.FAILED, Verdict.SKIPPED


def run(folder: Path, text: str, name: str = "page.md", timeout: float = 20.0) -> Report:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return run_document(path, lambda dialect: ChildSession(dialect, timeout))


def verdicts(report: Report) -> list[Verdict]:
    return [outcome.verdict for outcome in report.outcomes]


def test_a_document_is_run_in_one_session_and_reported(tmp_path: Path) -> None:
    text = "# Page\n```\nx = 1\n> = x + 1\n2\n> = x + 2\n4\n> nothing.here = 1\n> y = math.random()\n```\n"
    report = run(tmp_path, text)
    path = tmp_path / "page.md"
    assert verdicts(report) == [RAN, PASSED, FAILED, FAILED, RAN]
    assert f"{path}:6: failed\n    = x + 2\n  wanted (-) and got (+):\n    - 4\n    + 3\n" in report.text()
    assert f"{path}:8: failed" in report.text()
    assert "nothing" in report.failures[1].error
    assert report.summary() == (
        f"{path}: 5 examples: 1 exactly, 2 without an output to compare, 2 failed"
        " (1 detected to be random)"
    )


def test_overrides_stand_in_for_examples(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("```\n> = 1 + 2\n4\n> nothing.here = 1\n> = 5\n6\n```\n")
    skip = Override(2, "= 1 + 2", None, "wrong on purpose")
    other = Override(4, "nothing.here", "y = 2", "damaged on purpose")
    wanted = Override(5, "= 5", "= 5", "its output was lost", wanted="5")
    report = run_document(path, LocalSession, [skip, other, wanted])
    assert verdicts(report) == [SKIPPED, RAN, PASSED]
    with pytest.raises(StaleOverride, match=r"page\.md:2"):
        run_document(path, LocalSession, [Override(2, "= 1 + 9", None, "no such source")])


def test_the_difference_shows_each_line_once() -> None:
    assert difference("1\n2\n3", " 1\n2 \n4\n") == "- 1\n+  1\n  2\n- 3\n+ 4"
    many = "".join(f"{i}\n" for i in range(5000))
    shown = difference(many + "end", "begin\n" + many).splitlines()
    assert shown[:2] == ["+ begin", "  0"] and shown[-2:] == ["  4999", "- end"]
    assert "  (4992 more lines)" in shown and len(shown) == 11


def test_an_error_may_be_what_the_document_shows(tmp_path: Path) -> None:
    report = run(tmp_path, "```\n> error('no way', 0)\nno way\n> error('other', 0)\nno way\n```\n")
    assert verdicts(report) == [PASSED, FAILED]


def test_directives_are_obeyed(tmp_path: Path) -> None:
    report = run(
        tmp_path,
        "```\n> x = 1\n> os.exit(3) -- t7: skip\n> = os.getenv('HOME'):len() -- t7: random\n1000000\n"
        "> error('a') -- t7: expect-error\n> = 1 -- t7: expect-error\n1\n"
        "> x.y.z = 1 -- t7: expect-error\nattempt to index global 'x' (a number value)\n"
        "> = x -- t7: reset\nnil\n```\n",
    )
    assert verdicts(report) == [RAN, SKIPPED, PASSED, PASSED, FAILED, PASSED, PASSED]
    rules = [outcome.rule for outcome in report.outcomes if outcome.verdict is PASSED]
    assert rules == [Rule.SHAPE, Rule.RAISED, Rule.POSITION, Rule.EXACT]
    assert report.outcomes[2].random is Randomness.DECLARED
    assert "an error was expected" in report.text()


def test_a_dialect_begins_a_session_of_its_own(tmp_path: Path) -> None:
    text = (
        "```\n> x = torch.Tensor(1)\n> = torch.type(x)\ntorch.DoubleTensor\n```\n"
        "<!-- t7: dialect torch5 -->\n"
        "```\n> = x\nnil\n> x = torch.Tensor(1)\n> = torch.type(x)\ntorch.Tensor\n```\n"
    )
    report = run(tmp_path, text)
    assert report.ok, report.text()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("require('ffi').cast('int *', 8)[0] = 1", "killed by signal 11"),
        ("sys.sleep(600)", "timed out after 3 s"),
        ("require('ffi').cdef'void _exit(int);' require('ffi').C._exit(7)", "ended with status 7"),
    ],
)
def test_a_lost_session_costs_its_document_only(source: str, reason: str, tmp_path: Path) -> None:
    text = f"```\n> = 1\n1\n> {source}\n> = 2\n2\n```\n"
    # The other examples must be done in that time on a busy machine.
    report = run(tmp_path, text, timeout=3 if "sleep" in source else 60)
    assert verdicts(report) == [PASSED, FAILED, Verdict.NOT_RUN]
    assert f"{tmp_path}/page.md:4: failed" in report.text() and reason in report.text()
    assert report.outcomes[1].lost and "line 4" in report.outcomes[2].note
    assert "1 not run" in report.summary()


def test_ending_the_program_is_an_error_of_the_example(tmp_path: Path) -> None:
    report = run(tmp_path, "```\n> os.exit(3)\n> = 2\n2\n```\n")
    assert verdicts(report) == [FAILED, PASSED]
    assert "os.exit(3)" in report.failures[0].error


def test_what_other_programs_print_is_output_and_input_is_empty(tmp_path: Path) -> None:
    text = "```\n> os.execute('echo hello; echo you');\nhello\nyou\n> = io.read()\nnil\n> print(1)\n1\n```\n"
    report = run(tmp_path, text)
    assert report.ok and verdicts(report) == [PASSED, PASSED, PASSED], report.text()


def test_notebooks_run(tmp_path: Path) -> None:
    def cell(source: str, output: str) -> dict[str, object]:
        outputs = [{"output_type": "stream", "name": "stdout", "text": output}]
        return {"cell_type": "code", "source": source, "outputs": outputs if output else []}

    cells = [cell("x = 20", ""), cell("print(x)\nprint(x + 1)", "20\n21\n"), cell("x", "21\n")]
    report = run(tmp_path, json.dumps({"cells": cells}, indent=1), "book.ipynb")
    assert verdicts(report) == [RAN, PASSED, FAILED]
    assert [outcome.example.cell for outcome in report.outcomes] == [0, 1, 2]
    with pytest.raises(NotebookError):
        run(tmp_path, "no JSON", "bad.ipynb")


def test_a_child_session_answers_and_ends() -> None:
    session: Session = ChildSession()
    try:
        assert session.check("x =") is Status.INCOMPLETE
        assert session.check("x = = 1") is Status.SYNTAX_ERROR
        answer = session.run("'\\228\\184\\173' .. '\\255'", "=example")
        assert (answer.status, answer.text) == (Status.OK, "中\udcff\n")
        assert "line 2:1:" in session.run("x.y = 1", "=line 2").message
    finally:
        session.close()
    with pytest.raises(SessionLost):
        session.check("x = 1")
