"""Reports on the examples of a document."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from t7shell.doctest.compare import Rule
from t7shell.doctest.examples import Example

# The numbers of consecutive lines that a difference shows, and of lines that are compared.
_MAX_EQUAL, _MAX_DIFFERENT = 8, 40
_MAX_LINES = 20000
# Characters of an output in a summary.
_MAX_LENGTH = 40


class Verdict(Enum):
    """PASSED: printed the output of the document. RAN: the document shows nothing. NOT_RUN: the session was
    lost. UPDATED: its output was written into the document."""

    PASSED = "passed"
    RAN = "without an output to compare"
    UPDATED = "updated"
    SKIPPED = "skipped"
    NOT_RUN = "not run"
    FAILED = "failed"


class Randomness(Enum):
    """Tells whether the values of an example are random, and why: a directive, or calls
    in its source."""

    NONE = ""
    DECLARED = "declared random"
    DETECTED = "detected to be random"


@dataclass(frozen=True)
class Outcome:
    """One example: the verdict, the rule under which it passed, its output, and the error that stopped it.

    `lost` says that the session ended with it.
    """

    example: Example
    verdict: Verdict
    rule: Rule | None = None
    got: str = ""
    error: str = ""
    note: str = ""
    random: Randomness = Randomness.NONE
    lost: bool = False


@dataclass
class Report:
    """The outcomes of one document in its order."""

    path: str
    outcomes: list[Outcome] = field(default_factory=list)
    # The lines of blocks that are not Lua.
    skipped_lines: Sequence[int] = ()

    def replace(self, updated: Sequence[Outcome]) -> None:
        """Marks examples as updated whose outputs were written into the document."""
        found = {id(outcome) for outcome in updated}
        self.outcomes = [
            replace(outcome, verdict=Verdict.UPDATED) if id(outcome) in found else outcome
            for outcome in self.outcomes
        ]

    @property
    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.verdict is Verdict.FAILED]

    @property
    def ok(self) -> bool:
        return not self.failures

    def summary(self) -> str:
        """One line: the number of examples, their verdicts and rules, and how many are random; also the
        number of blocks that are not Lua.
        """
        rules = Counter(outcome.rule for outcome in self.outcomes if outcome.verdict is Verdict.PASSED)
        verdicts = Counter(outcome.verdict for outcome in self.outcomes)
        kinds = Counter(outcome.random for outcome in self.outcomes)
        parts = [f"{rules[rule]} {rule.value}" for rule in Rule if rules[rule]]
        for verdict in (Verdict.RAN, Verdict.UPDATED, Verdict.SKIPPED, Verdict.NOT_RUN):
            if verdicts[verdict]:
                parts.append(f"{verdicts[verdict]} {verdict.value}")
        parts.append(f"{verdicts[Verdict.FAILED]} failed")
        notes = [
            f"{kinds[kind]} {kind.value}"
            for kind in (Randomness.DECLARED, Randomness.DETECTED)
            if kinds[kind]
        ]
        if self.skipped_lines:
            notes.append(f"{_counted(len(self.skipped_lines), 'block')} skipped: not Lua")
        ending = f" ({'; '.join(notes)})" if notes else ""
        return f"{self.path}: {_counted(len(self.outcomes), 'example')}: {', '.join(parts)}{ending}"

    def text(self) -> str:
        """The summary, followed by each failure with its line, the expected and the actual output."""
        return "\n".join([self.summary(), *(describe(self.path, outcome) for outcome in self.failures)])


def total(reports: Sequence[Report]) -> str:
    """One line about several documents together."""
    verdicts = Counter(outcome.verdict for report in reports for outcome in report.outcomes)
    parts = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    skipped = sum(len(report.skipped_lines) for report in reports)
    ending = f" ({_counted(skipped, 'block')} skipped: not Lua)" if skipped else ""
    count = sum(verdicts.values())
    return (
        f"total: {len(reports)} documents, {_counted(count, 'example')}: {', '.join(parts) or 'none'}{ending}"
    )


def _counted(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def describe(path: str, outcome: Outcome) -> str:
    """Describes a failed example; its location is `file:line`."""
    example = outcome.example
    parts = [f"{path}:{example.line}: failed", _indented(example.source)]
    if example.wanted or outcome.got.strip():
        parts += ["  wanted (-) and got (+):", _indented(difference(example.wanted, outcome.got))]
    if outcome.error:
        parts += ["  error:", _indented(outcome.error)]
    return "\n".join(parts)


def one_line(outcome: Outcome) -> str:
    """A failure in one line: the error, or the expected and the actual output."""
    if outcome.error:
        return outcome.error.partition("\n")[0]
    wanted, got = (" ".join(text.split()) for text in (outcome.example.wanted, outcome.got))
    return f"wanted {_shortened(wanted)}, got {_shortened(got) or 'nothing'}"


def _shortened(text: str) -> str:
    return text if len(text) <= _MAX_LENGTH else text[: _MAX_LENGTH - 3] + "..."


def difference(wanted: str, got: str) -> str:
    """The lines of both texts, marked by `-` and `+` where only one has them; long runs are shortened.

    Trailing blanks are ignored.
    """
    left, right = ([line.rstrip() for line in text.rstrip().splitlines()] for text in (wanted, got))
    if len(left) + len(right) > _MAX_LINES:
        return "\n".join(
            _cut(["- " + line for line in left], _MAX_DIFFERENT)
            + _cut(["+ " + line for line in right], _MAX_DIFFERENT)
        )
    lines: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, left, right).get_opcodes():
        if tag == "equal":
            lines += _cut(["  " + line for line in left[i:j]], _MAX_EQUAL)
        else:
            lines += _cut(["- " + line for line in left[i:j]], _MAX_DIFFERENT)
            lines += _cut(["+ " + line for line in right[k:m]], _MAX_DIFFERENT)
    return "\n".join(line.rstrip() for line in lines)


def _cut(lines: list[str], limit: int) -> list[str]:
    """The lines; if there are more than `limit`, those in the middle are omitted."""
    if len(lines) <= limit:
        return lines
    half = limit // 2
    return [*lines[:half], f"  ({len(lines) - 2 * half} more lines)", *lines[-half:]]


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.rstrip().splitlines())
