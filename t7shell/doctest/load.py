"""The examples of a document, in the ways in which it can be read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example, find_examples, passed_over
from t7shell.doctest.joined_lines import Check
from t7shell.doctest.model import Region
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
    """The examples of each region. `resumed` holds the other reading of regions that have one, by their
    index: statements without a prompt behind an output are source. `passed_over` are the lines of what is not
    Lua."""

    regions: tuple[tuple[Example, ...], ...]
    resumed: dict[int, tuple[Example, ...]] = field(default_factory=dict)
    passed_over: tuple[int, ...] = ()

    @property
    def examples(self) -> list[Example]:
        """The examples in their order, as the document is read first."""
        return self.read(())

    def read(self, resumed: Sequence[int]) -> list[Example]:
        """The examples with the given regions read the other way."""
        return list(chain.from_iterable(self.parts(resumed)))

    def parts(self, resumed: Sequence[int]) -> Iterator[tuple[Example, ...]]:
        """As `read`, region by region."""
        for at, examples in enumerate(self.regions):
            yield self.resumed[at] if at in resumed else examples


def load_document(path: str | os.PathLike[str], check: Check, overrides: Sequence[Override] = ()) -> Document:
    """Reads a document.

    Raises OSError if the file cannot be read, NotebookError if it is not a notebook, DirectiveError for a
    directive that does not exist, and StaleOverride if an override does not fit.
    """
    found = find_regions(read_text(path), Path(path).suffix)
    regions: list[tuple[Example, ...]] = []
    resumed: dict[int, tuple[Example, ...]] = {}
    over: list[int] = []
    used: set[int] = set()
    for region in found:
        try:
            examples, other, wrong = _ways(region, check)
        except DirectiveError as mistake:
            raise DirectiveError(f"{path}:{mistake}") from None
        if other is not None:
            resumed[len(regions)] = _overridden(other, overrides, used)
        regions.append(_overridden(examples, overrides, used))
        over += [example.line for example in wrong]
    for at, override in enumerate(overrides):
        if at not in used:
            raise StaleOverride(f"{path}:{override.line}: no example here contains {override.original!r}")
    return Document(tuple(regions), resumed, tuple(over))


def _ways(region: Region, check: Check) -> tuple[list[Example], list[Example] | None, list[Example]]:
    """The examples of a region, its other reading if it has one, and what of it is not Lua."""
    examples = find_examples(region, check)
    wrong = passed_over(region, examples, check)
    if wrong:
        return [example for example in examples if example not in wrong], None, wrong
    other = find_examples(region, check, resumes=True)
    return examples, None if other == examples else other, []


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
