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
from _pytest._code.code import ReprFileLocation, TerminalRepr

from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example
from t7shell.doctest.load import load_document
from t7shell.doctest.preparation import PackageError, session_factory
from t7shell.doctest.reader import SUFFIXES
from t7shell.doctest.report import Outcome, Verdict, describe, one_line
from t7shell.doctest.run import run_examples
from t7shell.doctest.session import LocalSession, Session
from t7shell.engine.options import DIALECTS
from t7shell.kernel.notebook_file import NotebookError

# Compiles sources to find outputs while documents are collected; it runs nothing.
_COMPILER = pytest.StashKey[LocalSession | None]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("t7shell", "documents with examples for t7shell")
    group.addoption("--t7-dialect", choices=DIALECTS, help="the generation of Torch")
    parser.addini("t7_documents", "documents whose examples are tests: patterns", type="args", default=[])
    parser.addini("t7_dialect", "the generation of Torch: t7, th, torch5 or modern", default="t7")
    parser.addini("t7_packages", "packages to load before each document", type="args", default=[])
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
    """A document; its items share the outcomes of one run, which stops at the last selected example."""

    outcomes: Generator[list[Outcome], None, None]
    # Why there is no session to run examples in.
    refusal: PackageError | None = None

    def collect(self) -> Iterable[pytest.Item]:
        stash = self.config.stash
        compiler = stash.setdefault(_COMPILER, None) or LocalSession()
        stash[_COMPILER] = compiler
        try:
            document = load_document(self.path, compiler.check)
        except (DirectiveError, NotebookError, OSError) as mistake:
            raise self.CollectError(str(mistake)) from None
        examples = document.examples
        # The examples that have not run yet, and the outcomes of the others.
        self.left = list(examples)
        self.known: dict[int, list[Outcome]] = {}
        self.outcomes = run_examples(
            examples, self.open_session, self.dialect, None, str(self.path), self.timeout
        )
        for example in examples:
            first = example.source.strip().splitlines()[0]
            yield Item.from_parent(self, name=f"{example.line}: {first}", example=example)

    def teardown(self) -> None:
        """Ends the session after the last selected item."""
        self.outcomes.close()

    @property
    def dialect(self) -> str:
        return str(self.config.getoption("--t7-dialect") or self.config.getini("t7_dialect"))

    @property
    def timeout(self) -> float:
        return float(self.config.getini("t7_timeout"))

    def open_session(self, dialect: str) -> Session:
        try:
            return session_factory(self.path, self.timeout, self.config.getini("t7_packages"))(dialect)
        except PackageError as reason:
            self.refusal = reason
            raise

    def outcomes_of(self, example: Example) -> list[Outcome]:
        """Returns the outcomes of an example, and of its annotated statements."""
        while id(example) not in self.known:
            if self.refusal:
                raise self.refusal
            self.known[id(self.left.pop(0))] = next(self.outcomes)
        return self.known[id(example)]


class Item(pytest.Item):
    """One example of a document."""

    def __init__(self, *, example: Example, **others: Any) -> None:
        super().__init__(**others)
        self.example = example

    def runtest(self) -> None:
        document = self.parent
        assert isinstance(document, Document)
        outcomes = document.outcomes_of(self.example)
        failed = [outcome for outcome in outcomes if outcome.verdict is Verdict.FAILED]
        if failed:
            raise ExampleFailed(failed)
        for outcome in outcomes:
            if outcome.verdict in (Verdict.SKIPPED, Verdict.NOT_RUN):
                pytest.skip(outcome.note or "by a directive of the document")
            rule = outcome.rule.value if outcome.rule else outcome.verdict.value
            self.user_properties.append(("t7_rule", rule))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, ExampleFailed):
            return FailureText(str(self.path), excinfo.value.outcomes)
        if isinstance(excinfo.value, PackageError):
            return f"{self.path}: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.example.line - 1, self.name


class ExampleFailed(Exception):
    """An example whose output differs from the document."""

    def __init__(self, outcomes: list[Outcome]) -> None:
        super().__init__(outcomes)
        self.outcomes = outcomes


class FailureText(TerminalRepr):
    """The report of a failure; `reprcrash` is what pytest's summary takes its line from."""

    def __init__(self, path: str, outcomes: list[Outcome]) -> None:
        self.text = "\n".join(describe(path, outcome) for outcome in outcomes)
        first = outcomes[0]
        self.reprcrash = ReprFileLocation(path, first.example.line, one_line(first))

    def __str__(self) -> str:
        return self.text

    def toterminal(self, tw: Any) -> None:
        tw.line(self.text)
