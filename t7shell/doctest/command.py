"""The command `t7 doctest`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from t7shell import encoding
from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example
from t7shell.doctest.notebook import NotebookError
from t7shell.doctest.reader import find_documents, read_text, write_text
from t7shell.doctest.report import Outcome, Report, Verdict, describe
from t7shell.doctest.run import load_examples, run_examples
from t7shell.doctest.session import ChildSession, Session, SessionLost
from t7shell.doctest.update import Update, updated
from t7shell.options import DIALECTS

FAILED, MISTAKE = 1, 2


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 doctest` with the words behind it.

    Returns 0, 1 if an example failed, 2 for a mistake in the call or a document that cannot be read.
    """
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        documents = find_documents(options.documents)
    except OSError as reason:
        return _mistake(f"cannot open {reason.filename}: {reason.strerror}")
    if not documents:
        return _mistake("there are no documents in " + ", ".join(options.documents))
    status = 0
    try:
        for path in documents:
            status = max(status, _document(path, options))
            if status and options.exitfirst:
                break
    except KeyboardInterrupt:
        encoding.write("t7 doctest: interrupted\n")
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="t7 doctest", description="Run the examples of documents and compare what they print."
    )
    add = parser.add_argument
    add("documents", nargs="+", metavar="FILE_OR_FOLDER", help="Markdown, plain text or notebooks")
    add("--update", action="store_true", help="write what was printed in place of outputs that differ")
    add("--list", action="store_true", help="list the examples without running them")
    add("--only", metavar="WHAT", help="compare only the example in line WHAT, or those that contain WHAT")
    add("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    add("--dialect", choices=DIALECTS, default="t7", help="the generation of Torch (default: t7)")
    add("--timeout", type=float, default=60.0, metavar="SECONDS", help="for one example (default: 60)")
    add("-v", "--verbose", action="store_true", help="name each example and the rule by which it passed")
    return parser


def _document(path: str, options: argparse.Namespace) -> int:
    """Runs or lists one document; returns the status."""

    def open_session(dialect: str) -> Session:
        return ChildSession(dialect, options.timeout)

    session, examples = open_session(options.dialect), []
    try:
        examples = load_examples(path, session.check)
    except OSError as reason:
        return _mistake(f"cannot open {path}: {reason.strerror}")
    except DirectiveError as mistake:
        return _mistake(str(mistake))
    except (NotebookError, SessionLost) as mistake:
        return _mistake(f"{path}: {mistake}")
    finally:
        if not examples or options.list:
            session.close()
    if options.list:
        for example in examples:
            if _wanted(example, options.only):
                _say(f"{path}:{example.line}: {example.source.strip().splitlines()[0]}")
        return 0
    report = Report(path)
    with closing(run_examples(examples, open_session, options.dialect, session)) as outcomes:
        for outcome in _asked_for(examples, options, outcomes):
            report.outcomes.append(outcome)
            if options.verbose:
                _say(_line(path, outcome))
            if outcome.verdict is Verdict.FAILED and options.exitfirst and not options.update:
                break
    failed = report.failures
    if options.update:
        update = updated(read_text(path), report.outcomes)
        failed = _write(path, update)
    for outcome in failed:
        _say(describe(path, outcome))
    _say(report.summary())
    return FAILED if failed else 0


def _asked_for(
    examples: Sequence[Example], options: argparse.Namespace, outcomes: Iterable[Outcome]
) -> Iterator[Outcome]:
    """What is to be reported.

    Examples that are not asked for run all the same, since others build on them; when the last one that is
    asked for has run, the rest of the document need not.
    """
    left = sum(_wanted(example, options.only) for example in examples)
    for outcome in outcomes:
        if left == 0:
            return
        if _wanted(outcome.example, options.only):
            left -= 1
            yield outcome
        elif outcome.lost:
            yield outcome


def _wanted(example: Example, only: str | None) -> bool:
    if only is None:
        return True
    if only.isdigit():
        return example.line <= int(only) <= example.line + example.source.count("\n")
    return only in example.source


def _write(path: str, update: Update) -> list[Outcome]:
    """Writes the document if anything changed, and says so; returns the failures that are left."""
    if update.replaced:
        write_text(path, update.text)
        _say(f"{path}: {len(update.replaced)} outputs replaced")
    for outcome, reason in update.refused:
        _say(f"{path}:{outcome.example.line}: not replaced: {reason}")
    return [outcome for outcome, _ in update.refused]


def _line(path: str, outcome: Outcome) -> str:
    how = f" {outcome.rule.value}" if outcome.rule else ""
    random = f" ({outcome.random.value})" if outcome.random.value else ""
    note = f": {outcome.note}" if outcome.note else ""
    return f"{path}:{outcome.example.line}: {outcome.verdict.value}{how}{random}{note}"


def _say(line: str) -> None:
    encoding.write(line + "\n", sys.stdout)


def _mistake(message: str) -> int:
    encoding.write(f"t7 doctest: {message}\n")
    return MISTAKE
