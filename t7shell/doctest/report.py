"""What became of the examples of a document."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from t7shell.doctest.compare import Rule
from t7shell.doctest.examples import Example


class Verdict(Enum):
    """PASSED: printed what the document shows. RAN: the document shows nothing. SKIPPED: by an override."""

    PASSED = "passed"
    RAN = "ran"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True)
class Outcome:
    """One example: the verdict, the rule it passed by, what it printed, and the error that stopped it."""

    example: Example
    verdict: Verdict
    rule: Rule | None = None
    got: str = ""
    error: str = ""
    note: str = ""


@dataclass
class Report:
    """The outcomes of one document in its order."""

    path: str
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def failures(self) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.verdict is Verdict.FAILED]

    @property
    def ok(self) -> bool:
        return not self.failures

    def summary(self) -> str:
        """One line: how many examples there are, and what became of them."""
        rules = Counter(outcome.rule for outcome in self.outcomes if outcome.verdict is Verdict.PASSED)
        verdicts = Counter(outcome.verdict for outcome in self.outcomes)
        parts = [f"{rules[rule]} {rule.value}" for rule in Rule if rules[rule]]
        if verdicts[Verdict.RAN]:
            parts.append(f"{verdicts[Verdict.RAN]} run without an output to compare")
        if verdicts[Verdict.SKIPPED]:
            parts.append(f"{verdicts[Verdict.SKIPPED]} skipped")
        parts.append(f"{verdicts[Verdict.FAILED]} failed")
        return f"{self.path}: {len(self.outcomes)} examples: {', '.join(parts)}"

    def text(self) -> str:
        """The summary, and below it each failure with its place, what was wanted and what came."""
        return "\n".join([self.summary(), *(describe(self.path, outcome) for outcome in self.failures)])


def describe(path: str, outcome: Outcome) -> str:
    """A failed example as a person wants to see it; the place is `file:line`."""
    example = outcome.example
    parts = [f"{path}:{example.line}: failed", _indented(example.source)]
    if example.wanted:
        parts += ["  wanted:", _indented(example.wanted)]
    if outcome.got.strip() or not outcome.error:
        parts += ["  got:", _indented(outcome.got)]
    if outcome.error:
        parts += ["  error:", _indented(outcome.error)]
    return "\n".join(parts)


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.rstrip().splitlines())
