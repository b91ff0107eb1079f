"""Running documents in tests: all examples of one, with repairs of damaged examples."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from t7shell.doctest.examples import Example
from t7shell.doctest.load import load_document
from t7shell.doctest.report import Report
from t7shell.doctest.run import run_examples
from t7shell.doctest.session import ChildSession, LocalSession, OpenSession


@dataclass(frozen=True)
class Override:
    """Replaces the example at a line of a document that cannot be changed.

    `original` is a part of its source, so that an override cannot outlive a change of the document. `source`
    runs instead, None skips it; `wanted` replaces the output, if given. `reason` explains the override.
    """

    line: int
    original: str
    source: str | None
    reason: str
    wanted: str | None = None


class StaleOverride(ValueError):
    """An override names a line where the document has no such example."""


def run_document(
    path: str | os.PathLike[str],
    open_session: OpenSession = ChildSession,
    overrides: Sequence[Override] = (),
    dialect: str = "t7",
    timeout: float | None = None,
) -> Report:
    """Runs all examples of a document; `timeout` is how many seconds a comparison may take."""
    document = load_document(path, _compiler().check)
    examples = _overridden(list(document.examples), overrides, path)
    found = run_examples(examples, open_session, dialect, None, str(path), timeout)
    return Report(str(path), list(chain.from_iterable(found)), document.skipped_lines)


@cache
def _compiler() -> LocalSession:
    """Tells sources from outputs in all documents; it runs nothing."""
    return LocalSession()


def _overridden(
    examples: list[Example], overrides: Sequence[Override], path: str | os.PathLike[str]
) -> list[Example]:
    for override in overrides:
        for at, example in enumerate(examples):
            if example.line == override.line and override.original in example.source:
                examples[at] = _replaced(example, override)
                break
        else:
            raise StaleOverride(f"{path}:{override.line}: no example here contains {override.original!r}")
    return examples


def _replaced(example: Example, override: Override) -> Example:
    if override.source is None:
        return replace(example, directives=replace(example.directives, skip=True))
    wanted = example.wanted if override.wanted is None else override.wanted
    return replace(example, source=override.source, wanted=wanted)
