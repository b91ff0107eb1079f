"""Running a document in one session of the shell."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from t7shell.doctest.compare import compare, compare_random
from t7shell.doctest.documents import find_regions
from t7shell.doctest.examples import Example, find_examples
from t7shell.doctest.randomness import RandomNames
from t7shell.doctest.report import Outcome, Report, Verdict
from t7shell.result import Result, Status


class Session(Protocol):
    """The part of `t7shell.engine.Engine` that a document needs."""

    def check(self, source: str) -> Result: ...

    def run_captured(self, source: str, name: str = ...) -> tuple[str, Result]: ...


@dataclass(frozen=True)
class Override:
    """What to do in place of the example at a line of a document.

    `original` is a part of its source, so that an override cannot outlive a change of the document. `source`
    runs in its place; None skips it. `reason` says why.
    """

    line: int
    original: str
    source: str | None
    reason: str


class StaleOverride(ValueError):
    """An override names a line where the document has no such example."""


def run_document(
    path: str | os.PathLike[str], session_factory: Callable[[], Session], overrides: Sequence[Override] = ()
) -> Report:
    """Runs all examples of a document, one after the other, in a session of its own.

    An example whose output the document leaves out is right if it runs. Raises OSError if the file cannot be
    read and StaleOverride if an override does not fit.
    """
    text = Path(path).read_text(encoding="utf-8", errors="surrogateescape")
    session = session_factory()
    examples = [
        example
        for region in find_regions(text)
        for example in find_examples(region, lambda source: session.check(source).status)
    ]
    by_line = _matched(str(path), examples, overrides)
    names = RandomNames()
    report = Report(str(path))
    for example in examples:
        override = by_line.get(example.line)
        if override is not None and override.source is None:
            report.outcomes.append(Outcome(example, Verdict.SKIPPED, note=override.reason))
            continue
        if override is not None and override.source is not None:
            example = replace(example, source=override.source)
        report.outcomes.append(run_example(example, session, names.visit(example.source)))
    return report


def run_example(example: Example, session: Session, random: bool) -> Outcome:
    """Runs one example; an error counts as output if the document shows an output and it is that error."""
    got, result = session.run_captured(example.source, f"=line {example.line}")
    error = ""
    if result.status is Status.INCOMPLETE:
        error = result.message or "the source is not complete"
    elif not result.ok:
        error = result.message
    if not example.wanted:
        return Outcome(example, Verdict.FAILED if error else Verdict.RAN, got=got, error=error)
    printed = f"{got}{error}" if error else got
    rule = compare_random(example.wanted, printed) if random else compare(example.wanted, printed)
    return Outcome(example, Verdict.PASSED if rule else Verdict.FAILED, rule, got, error)


def _matched(path: str, examples: Sequence[Example], overrides: Sequence[Override]) -> dict[int, Override]:
    sources = {example.line: example.source for example in examples}
    for override in overrides:
        if override.original not in sources.get(override.line, ""):
            raise StaleOverride(f"{path}:{override.line}: no example here contains {override.original!r}")
    return {override.line: override for override in overrides}
