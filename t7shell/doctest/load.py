"""The examples of a document."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example, find_examples, non_lua_examples
from t7shell.doctest.joined_lines import Check
from t7shell.doctest.reader import find_regions, read_text


@dataclass(frozen=True)
class Document:
    """The examples in their order; `skipped_lines` are the lines of blocks that are not Lua."""

    examples: tuple[Example, ...]
    skipped_lines: tuple[int, ...] = ()


def load_document(path: str | os.PathLike[str], check: Check) -> Document:
    """Reads a document.

    Raises OSError if the file cannot be read, NotebookError if it is not a notebook, and DirectiveError for a
    directive that does not exist.
    """
    examples: list[Example] = []
    skipped: list[int] = []
    for region in find_regions(read_text(path), Path(path).suffix):
        try:
            own = find_examples(region, check)
        except DirectiveError as mistake:
            raise DirectiveError(f"{path}:{mistake}") from None
        wrong = non_lua_examples(region, own, check)
        examples += [example for example in own if example not in wrong]
        skipped += [example.line for example in wrong]
    return Document(tuple(examples), tuple(skipped))
