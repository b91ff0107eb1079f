"""The command `t7 doctest`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from t7shell.cli.main import main
from tests.conftest import Run

Doctest = Callable[..., "CompletedProcess[str]"]

PAGE = "```\n> x = 2\n> = x\n2\n> = x + 1\n4\n> y = x -- with\n>> + 3\n> = y\n6\n```\n"


@contextmanager
def current(folder: Path | None) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder or before)
    try:
        yield
    finally:
        os.chdir(before)


@pytest.fixture
def doctest(capsys: pytest.CaptureFixture[str]) -> Doctest:
    """Runs `t7 doctest` in this process, and its sessions in children."""

    def run(*args: str, cwd: Path | None = None) -> CompletedProcess[str]:
        with current(cwd):
            status = main(["doctest", *args])
        return CompletedProcess(args, status, *capsys.readouterr())

    return run


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


def test_failures_are_shown_and_are_status_1(page: Path, doctest: Doctest) -> None:
    done = doctest(str(page))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        f"{page}:5: failed\n    = x + 1\n  wanted (-) and got (+):\n    - 4\n    + 3\n"
        f"{page}:9: failed\n    = y\n  wanted (-) and got (+):\n    - 6\n    + 5\n"
        f"{page}: 5 examples: 1 exactly, 2 without an output to compare, 2 failed\n"
    )


def test_status_0_without_failures(page: Path, t7: Run) -> None:
    page.write_text(PAGE.replace("4", "3").replace("6", "5"))
    done = t7("doctest", str(page.parent), "-v")
    assert done.returncode == 0
    assert f"{page}:3: passed exactly\n" in done.stdout


def test_the_list_names_places_and_runs_nothing(page: Path, doctest: Doctest) -> None:
    page.write_text(PAGE + "```\nos.execute('touch here')\n```\n")
    done = doctest("--list", page.name, cwd=page.parent)
    assert done.returncode == 0
    assert done.stdout.splitlines() == [
        "page.md:2: x = 2",
        "page.md:3: = x",
        "page.md:5: = x + 1",
        "page.md:7: y = x -- with",
        "page.md:9: = y",
        "page.md:13: os.execute('touch here')",
    ]
    assert not (page.parent / "here").exists()


def test_only_some_are_compared_though_all_before_run(page: Path, doctest: Doctest) -> None:
    done = doctest("--only", "9", str(page))
    assert done.returncode == 1 and ":9: failed" in done.stdout and ":5:" not in done.stdout
    assert doctest("--only", "8", str(page)).stdout.endswith("without an output to compare, 0 failed\n")
    assert doctest("--only", "= x +", str(page)).stdout.count(": failed") == 1
    done = doctest("--only", "= x", "--list", str(page))
    assert len(done.stdout.splitlines()) == 3


def test_x_stops_at_the_first_failure(page: Path, doctest: Doctest) -> None:
    (page.parent / "later.md").write_text("```\n> = 1\n2\n```\n")
    done = doctest("-x", str(page.parent))
    assert done.returncode == 1
    failed = [line for line in done.stdout.splitlines() if line.endswith(": failed")]
    assert failed == [f"{page.parent}/later.md:2: failed"]
    assert "page.md" not in done.stdout


def test_update_rewrites_outputs_in_place(page: Path, doctest: Doctest) -> None:
    page.write_text(PAGE + "```\n> print('a b')\n1 ... 2\n```\n")
    done = doctest("--update", str(page))
    assert done.returncode == 1
    assert f"{page}: 2 outputs replaced\n{page}:13: not replaced: something is left out" in done.stdout
    assert page.read_text() == PAGE.replace("\n4", "\n3").replace("\n6", "\n5") + (
        "```\n> print('a b')\n1 ... 2\n```\n"
    )
    page.write_text(PAGE)
    assert doctest("--update", str(page)).returncode == 0
    assert doctest(str(page)).returncode == 0


@pytest.mark.slow
def test_a_lost_session_does_not_end_the_run(page: Path, doctest: Doctest) -> None:
    (page.parent / "a.md").write_text("```\n> sys.sleep(600)\n```\n")
    done = doctest("--timeout", "3", str(page.parent))
    assert done.returncode == 1
    assert "a.md:2: failed\n    sys.sleep(600)\n  error:\n    timed out after 3 s\n" in done.stdout
    assert f"{page}: 5 examples" in done.stdout


def test_the_dialect_is_that_of_the_document(tmp_path: Path, doctest: Doctest) -> None:
    page = tmp_path / "old.txt"
    page.write_text("Torch5 is like Fortran:\n> = torch.Tensor(2,3):stride(1)\n1\n")
    assert doctest("--dialect", "torch5", str(page)).returncode == 0
    assert doctest(str(page)).returncode == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "usage: t7 doctest"),
        (["--nonsense", "x.md"], "unrecognized arguments"),
        (["--dialect", "lua", "x.md"], "invalid choice"),
        *(
            (["--timeout", limit, "x.md"], f"expected a positive number of seconds (got '{limit}')")
            for limit in ("-1", "0", "nan", "inf", "1e400", "x")
        ),
        (["missing.md"], "cannot open missing.md: No such file"),
        (["empty"], "there are no documents in empty"),
        (["bad.ipynb"], "bad.ipynb: not a notebook"),
        (["bad.md"], "bad.md:3: unknown directive 'skp'"),
    ],
)
def test_mistakes_are_status_2(arguments: list[str], message: str, tmp_path: Path, doctest: Doctest) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.ipynb").write_text("{}")
    (tmp_path / "bad.md").write_text("```\nx = 1\n-- t7: skp\nx = 2\n```\n")
    done = doctest(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr


def test_a_script_of_this_name_can_still_be_run(tmp_path: Path, t7: Run) -> None:
    (tmp_path / "doctest").write_text("print('a script')")
    assert t7("./doctest", cwd=tmp_path).stdout == "a script\n"


@pytest.mark.parametrize("what", ["zzz", "1", "400"])
def test_a_selection_that_matches_nothing_is_a_mistake(page: Path, doctest: Doctest, what: str) -> None:
    done = doctest("--only", what, str(page))
    assert done.returncode == 2
    assert done.stderr == f"t7 doctest: no example matches --only {what} in {page}\n"


def test_any_line_of_an_example_selects_it(page: Path, doctest: Doctest) -> None:
    assert f"{page}:7: without an output" in doctest("--only", "8", "-v", str(page)).stdout
    # A line of the output belongs to its example, too.
    assert f"{page}:5: failed" in doctest("--only", "6", "-v", str(page)).stdout


def test_an_annotated_line_is_selected_alone(page: Path, doctest: Doctest) -> None:
    page.write_text("```lua\nlocal x = 1\nprint(x) --> 1\nprint(x + 1) --> 3\n```\n")
    assert doctest("--only", "3", str(page)).returncode == 0
    assert doctest("--only", "4", str(page)).returncode == 1


def test_what_was_updated_has_not_failed(page: Path, doctest: Doctest) -> None:
    done = doctest("--update", "-v", str(page))
    assert done.returncode == 0 and "failed\n" not in done.stdout.replace(" 0 failed\n", "")
    assert f"{page}:5: updated\n" in done.stdout
    assert "5 examples: 1 exactly, 2 without an output to compare, 2 updated, 0 failed" in done.stdout


@pytest.mark.parametrize("source", ["draw()", "net.bias:sum()", "torch.initialSeed()"])
def test_an_update_says_which_outputs_differ_each_time(page: Path, doctest: Doctest, source: str) -> None:
    inputs = (
        "> function draw() return loadstring('return torch.uni' .. 'form()')() end\n"
        "> net = loadstring('return require \"nn\".Linear(2, 3)')()\n"
    )
    text = f"```\n{inputs}> = {source}\n7\n> = 1\n2\n```\n"
    page.write_text(text)
    done = doctest("--update", str(page))
    assert f"{page}:4: not replaced: it prints something else each time\n" in done.stdout
    assert page.read_text() == text.replace("\n2\n", "\n1\n")


def test_several_documents_have_a_total(page: Path, doctest: Doctest) -> None:
    (page.parent / "z.md").write_text("```\n> = 1\n1\n```\n\n```\nls -l somewhere\n```\n")
    done = doctest(str(page.parent))
    assert done.stdout.splitlines()[-1] == (
        "total: 2 documents, 6 examples: 2 passed, 2 without an output to compare, 2 failed"
        " (1 block skipped: not Lua)"
    )


def test_what_was_passed_over_is_listed(page: Path, doctest: Doctest) -> None:
    page.write_text("```\nls -l somewhere\n```\n```lua\nx = 1\n```\n")
    assert f"{page}:2: skipped: not Lua" in doctest("-v", str(page)).stdout


def test_a_document_without_end_is_a_mistake(
    page: Path, doctest: Doctest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("t7shell.engine.file_bytes._LIMIT", 50)
    done = doctest(str(page))
    assert done.returncode == 2 and "File too large" in done.stderr
