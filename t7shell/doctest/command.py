"""The command `t7 doctest`."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from contextlib import closing
from itertools import chain

from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example
from t7shell.doctest.load import Document, load_document
from t7shell.doctest.preparation import PackageError, session_factory
from t7shell.doctest.reader import find_documents, read_text, write_text
from t7shell.doctest.report import Outcome, Report, Verdict, describe, total
from t7shell.doctest.run import run_examples
from t7shell.doctest.session import OpenSession, Session, SessionLost
from t7shell.doctest.update import may_replace, updated
from t7shell.engine import command_line
from t7shell.engine.options import DIALECTS
from t7shell.host import encoding
from t7shell.kernel.notebook_file import NotebookError

FAILED, USAGE_ERROR = 1, 2
MAX_SECONDS = 1e6  # of --timeout


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 doctest` with its arguments.

    Returns 0, 1 if an example failed, 2 for wrong usage, a document that cannot be read, or no
    example.
    """
    return command_line.run(_parser(), arguments, _run)


def _run(options: argparse.Namespace) -> int:
    try:
        documents = find_documents(options.documents)
    except OSError as reason:
        return _usage_error(f"cannot open {reason.filename}: {reason.strerror}")
    if not documents:
        return _usage_error("there are no documents in " + ", ".join(options.documents))
    reports: list[Report] = []
    status = 0
    try:
        for path in documents:
            status = max(status, _document(path, options, reports))
            if status and options.exitfirst:
                break
    except KeyboardInterrupt:
        encoding.write("t7 doctest: interrupted\n")
        return 130
    if status == USAGE_ERROR or options.list:
        return status
    if not any(report.outcomes for report in reports):
        what = f"no example matches --only {options.only}" if options.only else "no examples"
        return _usage_error(f"{what} in {', '.join(options.documents)}")
    if len(reports) > 1:
        _print(total(reports))
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="t7 doctest", description="Run the examples of documents and compare what they print."
    )
    add = parser.add_argument
    add("documents", nargs="+", metavar="FILE_OR_FOLDER", help="Markdown, plain text, notebooks or Lua files")
    add("--update", action="store_true", help="replace outputs that differ by the printed ones")
    add("--list", action="store_true", help="list the examples without running them")
    add("--only", metavar="WHAT", help="compare only the example in line WHAT, or those that contain WHAT")
    add("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    add("--dialect", choices=DIALECTS, default="t7", help="the generation of Torch (default: t7)")
    add("-l", dest="package", action="append", default=[], metavar="NAME", help="load a package first")
    add("--sections", action="store_true", help="begin each section with the default type of tensors")
    add(
        "--timeout",
        type=_seconds,
        default=60.0,
        metavar="SECONDS",
        help="for one example, and for its comparison (default: 60)",
    )
    add("-v", "--verbose", action="store_true", help="name each example and the rule by which it passed")
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds (got '{text}')")
    # Locks and polls cannot wait longer.
    return min(seconds, MAX_SECONDS)


def _document(path: str, options: argparse.Namespace, reports: list[Report]) -> int:
    """Runs or lists one document, and adds its report; returns the status."""
    try:
        document, open_session, session = _opened(path, options)
    except OSError as reason:
        return _usage_error(f"cannot open {path}: {reason.strerror}")
    except DirectiveError as mistake:
        return _usage_error(str(mistake))
    except (NotebookError, PackageError, SessionLost) as mistake:
        return _usage_error(f"{path}: {mistake}")
    examples = document.examples
    if options.list:
        session.close()
        return _list(path, examples, options.only)
    report = Report(path, [], document.skipped_lines)
    reports.append(report)
    # The examples before the last selected one run as well, since it may depend on them.
    selected = [at for at, example in enumerate(examples) if _is_selected(example, options.only)]
    examples = examples[: selected[-1] + 1] if selected else ()
    outcomes = run_examples(
        examples, open_session, options.dialect, session, path, options.timeout, options.sections
    )
    with closing(outcomes):
        for outcome in chain.from_iterable(outcomes):
            if not _is_counted(outcome, options.only):
                continue
            report.outcomes.append(outcome)
            if options.verbose and not options.update:
                _print(_line(path, outcome))
            if outcome.verdict is Verdict.FAILED and options.exitfirst and not options.update:
                break
    if options.update:
        again = None
        if may_replace(report.outcomes):
            # Another session draws other random numbers.
            others = run_examples(
                examples, open_session, options.dialect, None, path, options.timeout, options.sections
            )
            with closing(others):
                again = [each for each in chain.from_iterable(others) if _is_counted(each, options.only)]
        _update(path, report, again)
    for outcome in report.outcomes if options.update and options.verbose else ():
        _print(_line(path, outcome))
    for outcome in report.failures:
        _print(describe(path, outcome))
    if options.verbose:
        for number in report.skipped_lines:
            _print(f"{path}:{number}: skipped: not Lua")
    if report.outcomes or not options.only:
        _print(report.summary())
    return FAILED if report.failures else 0


def _opened(path: str, options: argparse.Namespace) -> tuple[Document, OpenSession, Session]:
    """A document, a function that opens sessions, and a session that has compiled sources but run nothing."""
    open_session = session_factory(path, options.timeout, options.package)
    session = open_session(options.dialect)
    try:
        return load_document(path, session.check), open_session, session
    except BaseException:
        session.close()
        raise


def _list(path: str, examples: Sequence[Example], only: str | None) -> int:
    found = [example for example in examples if _is_selected(example, only)]
    for example in found:
        _print(f"{path}:{example.line}: {example.source.strip().splitlines()[0]}")
    return 0


def _is_counted(outcome: Outcome, only: str | None) -> bool:
    return _is_selected(outcome.example, only) or outcome.lost


def _update(path: str, report: Report, again: Sequence[Outcome] | None) -> None:
    """Writes the document if anything changed, and says so; replaced outputs do not count as failures."""
    update = updated(read_text(path), report.outcomes, again)
    if update.replaced:
        write_text(path, update.text)
        count = len(update.replaced)
        _print(f"{path}: {count} output{'s' if count != 1 else ''} replaced")
    for outcome, reason in update.rejected:
        _print(f"{path}:{outcome.example.line}: not replaced: {reason}")
    report.replace(update.replaced)


def _is_selected(example: Example, only: str | None) -> bool:
    if only is None:
        return True
    if only.isdigit():
        last = max([example.line + example.source.count("\n"), *(line.number for line in example.shown)])
        return example.line <= int(only) <= last
    return only in example.source


def _line(path: str, outcome: Outcome) -> str:
    rule = f" {outcome.rule.value}" if outcome.rule else ""
    random = f" ({outcome.random.value})" if outcome.random.value else ""
    note = f": {outcome.note}" if outcome.note else ""
    return f"{path}:{outcome.example.line}: {outcome.verdict.value}{rule}{random}{note}"


def _print(line: str) -> None:
    encoding.tell(line + "\n", sys.stdout)


def _usage_error(message: str) -> int:
    encoding.tell(f"t7 doctest: {message}\n")
    return USAGE_ERROR
