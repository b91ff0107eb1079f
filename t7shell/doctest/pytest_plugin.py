"""The examples of documents as items of pytest.

Documents named on the command line are collected, and those that the ini option `t7_documents` names by
patterns, for instance `t7_documents = README.md docs/*.md`. All examples of a document run in one session, in
their order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from t7shell.doctest.examples import Example
from t7shell.doctest.reader import SUFFIXES
from t7shell.doctest.report import Outcome, Verdict, describe
from t7shell.doctest.run import load_examples, run_examples
from t7shell.doctest.session import ChildSession, LocalSession, Session

# Tells sources from outputs while documents are collected; it runs nothing.
_COMPILER = pytest.StashKey[LocalSession | None]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("t7shell", "documents with examples for t7shell")
    group.addoption("--t7-dialect", choices=("t7", "th", "torch5"), help="the generation of Torch")
    parser.addini("t7_documents", "documents whose examples are tests: patterns", type="args", default=[])
    parser.addini("t7_dialect", "the generation of Torch: t7, th or torch5", default="t7")
    parser.addini("t7_timeout", "how many seconds one example may take", default="60")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Document | None:
    if file_path.suffix not in SUFFIXES:
        return None
    if parent.session.isinitpath(file_path) or _is_named(file_path, parent.config):
        document: Document = Document.from_parent(parent, path=file_path)
        return document
    return None


def _is_named(path: Path, config: pytest.Config) -> bool:
    try:
        relative = path.relative_to(config.rootpath).as_posix()
    except ValueError:
        return False
    return any(fnmatch(relative, pattern) for pattern in config.getini("t7_documents"))


class Document(pytest.File):
    """A document; its items share the outcomes of one run, which goes only as far as they ask."""

    outcomes: Generator[Outcome, None, None]

    def collect(self) -> Iterable[pytest.Item]:
        stash = self.config.stash
        compiler = stash.setdefault(_COMPILER, None) or LocalSession()
        stash[_COMPILER] = compiler
        self.examples = load_examples(self.path, compiler.check)
        self.known: list[Outcome] = []
        self.outcomes = run_examples(self.examples, self.open_session, self.dialect)
        for at, example in enumerate(self.examples):
            first = example.source.strip().splitlines()[0]
            yield Item.from_parent(self, name=f"{example.line}: {first}", example=example, at=at)

    def teardown(self) -> None:
        """Ends the session with the last item that was asked for."""
        self.outcomes.close()

    @property
    def dialect(self) -> str:
        return str(self.config.getoption("--t7-dialect") or self.config.getini("t7_dialect"))

    def open_session(self, dialect: str) -> Session:
        return ChildSession(dialect, float(self.config.getini("t7_timeout")))

    def outcome(self, at: int) -> Outcome:
        while len(self.known) <= at:
            self.known.append(next(self.outcomes))
        return self.known[at]


class Item(pytest.Item):
    """One example of a document."""

    def __init__(self, *, example: Example, at: int, **others: Any) -> None:
        super().__init__(**others)
        self.example = example
        self.at = at

    def runtest(self) -> None:
        document = self.parent
        assert isinstance(document, Document)
        outcome = document.outcome(self.at)
        if outcome.verdict in (Verdict.SKIPPED, Verdict.NOT_RUN):
            pytest.skip(outcome.note or "by a directive of the document")
        if outcome.verdict is Verdict.FAILED:
            raise ExampleFailed(outcome)
        how = outcome.rule.value if outcome.rule else outcome.verdict.value
        self.user_properties.append(("t7_rule", how))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ExampleFailed):
            return describe(str(self.path), excinfo.value.outcome)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.example.line - 1, self.name


class ExampleFailed(Exception):
    """An example that did not do what its document shows."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome
