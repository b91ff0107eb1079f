"""The examples of a document."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example, find_examples, passed_over
from t7shell.doctest.joined_lines import Check
from t7shell.doctest.reader import find_regions, read_text


@dataclass(frozen=True)
class Override:
    """Replaces the example at a line of a document that cannot be changed.

    `original` is a part of its source, so that an override cannot outlive a change of the document. `source`
    runs in its place, None skips it; `wanted` is compared in place of the output, if given. `reason` says
    why.
    """

    line: int
    original: str
    source: str | None
    reason: str
    wanted: str | None = None


class StaleOverride(ValueError):
    """An override names a line where the document has no such example."""


@dataclass(frozen=True)
class Document:
    """The examples in their order; `passed_over` are the lines of blocks that are not Lua."""

    examples: tuple[Example, ...]
    passed_over: tuple[int, ...] = ()


def load_document(path: str | os.PathLike[str], check: Check, overrides: Sequence[Override] = ()) -> Document:
    """Reads a document.

    Raises OSError if the file cannot be read, NotebookError if it is not a notebook, DirectiveError for a
    directive that does not exist, and StaleOverride if an override does not fit.
    """
    found = find_regions(read_text(path), Path(path).suffix)
    examples: list[Example] = []
    over: list[int] = []
    used: set[int] = set()
    for region in found:
        try:
            own = find_examples(region, check)
        except DirectiveError as mistake:
            raise DirectiveError(f"{path}:{mistake}") from None
        wrong = passed_over(region, own, check)
        examples += _overridden([example for example in own if example not in wrong], overrides, used)
        over += [example.line for example in wrong]
    for at, override in enumerate(overrides):
        if at not in used:
            raise StaleOverride(f"{path}:{override.line}: no example here contains {override.original!r}")
    return Document(tuple(examples), tuple(over))


def _overridden(
    examples: Sequence[Example], overrides: Sequence[Override], used: set[int]
) -> tuple[Example, ...]:
    found = list(examples)
    for at, override in enumerate(overrides):
        for i, example in enumerate(examples):
            if example.line == override.line and override.original in example.source:
                found[i] = _replaced(example, override)
                used.add(at)
                break
    return tuple(found)


def _replaced(example: Example, override: Override) -> Example:
    if override.source is None:
        return replace(example, directives=replace(example.directives, skip=True))
    wanted = example.wanted if override.wanted is None else override.wanted
    return replace(example, source=override.source, wanted=wanted)
