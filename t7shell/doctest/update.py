"""Replacing the outputs that a document shows by the actual ones.

Only examples that failed are changed, and only the lines of their outputs. An example whose output has an
ellipsis or random values is rejected, since the text to write is not known; so is one that printed something
else when the document ran again, such as a random number whose origin the source does not show, or a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from t7shell.doctest.compare import has_wildcard
from t7shell.doctest.notebook import rewrite
from t7shell.doctest.report import Outcome, Verdict
from t7shell.kernel.notebook_file import NotebookError


@dataclass
class Update:
    """The new text of a document, the examples whose outputs were replaced, and why others were not."""

    text: str
    replaced: list[Outcome] = field(default_factory=list)
    rejected: list[tuple[Outcome, str]] = field(default_factory=list)


def updated(text: str, outcomes: Sequence[Outcome], again: Sequence[Outcome] | None = None) -> Update:
    """The document with the outputs of the failed examples replaced; `again` are those of another run."""
    update = Update(text)
    for at, outcome in enumerate(outcomes):
        if outcome.verdict is Verdict.FAILED:
            reason = _refusal(outcome)
            if not reason and again is not None and not _is_same(outcome, again[at : at + 1]):
                reason = "it prints something else each time"
            if reason:
                update.rejected.append((outcome, reason))
            else:
                update.replaced.append(outcome)
    if any(outcome.example.cell is not None for outcome in update.replaced):
        _rewrite_cells(update)
    else:
        _rewrite_lines(update)
    return update


def _refusal(outcome: Outcome) -> str:
    """Why an output cannot be replaced; '' if it can."""
    example = outcome.example
    shown = [line.text for line in example.shown]
    if outcome.lost:
        return "the session was lost"
    if outcome.error and not example.directives.expect_error:
        return "it raises an error"
    if not outcome.got.strip() and not outcome.error:
        return "it prints nothing"
    if outcome.random.value:
        return "its values are random"
    if example.joined:
        return "the lines of the document are joined"
    if has_wildcard(example.wanted):
        return "something is left out of the output shown"
    if not shown:
        return "the document shows no output"
    if example.annotation:
        return (
            "" if len(_new_lines(outcome)) == 1 and "\n" not in example.wanted else "it takes several lines"
        )
    if any(text.lstrip().startswith("-- ") for text in shown):
        return "there is a comment in the output shown"
    return ""


def may_replace(outcomes: Sequence[Outcome]) -> bool:
    """Whether `updated` would replace an output, as far as one run tells."""
    return any(outcome.verdict is Verdict.FAILED and not _refusal(outcome) for outcome in outcomes)


def _is_same(outcome: Outcome, others: Sequence[Outcome]) -> bool:
    """Whether the same example printed the same in the other run."""
    return all(
        (other.example, other.got, other.error) == (outcome.example, outcome.got, outcome.error)
        for other in others
    ) and bool(others)


def _rewrite_lines(update: Update) -> None:
    lines = update.text.split("\n")
    # From the end, so that the numbers of earlier lines stay valid.
    for outcome in sorted(update.replaced, key=lambda outcome: outcome.example.line, reverse=True):
        shown = outcome.example.shown
        first, last = shown[0].number - 1, shown[-1].number - 1
        end = "\r" if lines[first].endswith("\r") else ""
        if outcome.example.annotation:
            before = lines[first].removesuffix("\r").rstrip().removesuffix(outcome.example.wanted)
            lines[first] = before + _new_lines(outcome)[0].strip() + end
            continue
        new = [(shown[0].prefix + line).rstrip() + end for line in _new_lines(outcome)]
        lines[first : last + 1] = new
    update.text = "\n".join(lines)


def _rewrite_cells(update: Update) -> None:
    outputs = {
        outcome.example.cell: "".join(line + "\n" for line in _new_lines(outcome))
        for outcome in update.replaced
        if outcome.example.cell is not None
    }
    try:
        update.text = rewrite(update.text, outputs)
    except NotebookError as reason:
        update.rejected += [(outcome, str(reason)) for outcome in update.replaced]
        update.replaced = []


def _new_lines(outcome: Outcome) -> list[str]:
    """Returns the new lines of the document, without trailing blanks and without blank lines around."""
    lines = [line.rstrip() for line in f"{outcome.got}{outcome.error}".splitlines()]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines
