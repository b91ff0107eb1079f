"""Running a document: its examples one after the other, in a session of its own."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from t7shell.doctest.compare import Rule, compare, compare_error, compare_joined, compare_random
from t7shell.doctest.directives import DirectiveError
from t7shell.doctest.examples import Example, find_examples
from t7shell.doctest.joined_lines import Check
from t7shell.doctest.randomness import RandomNames
from t7shell.doctest.reader import find_regions, read_text
from t7shell.doctest.report import Outcome, Randomness, Report, Verdict
from t7shell.doctest.session import Answer, ChildSession, OpenSession, Session, SessionLost
from t7shell.result import Status


@dataclass(frozen=True)
class Override:
    """What to do in place of the example at a line of a document that cannot be changed.

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


def load_examples(
    path: str | os.PathLike[str], check: Check, overrides: Sequence[Override] = ()
) -> list[Example]:
    """The examples of a document as they are to be run.

    Raises OSError if the file cannot be read, NotebookError if it is no notebook, DirectiveError for a
    directive that does not exist, and StaleOverride if an override does not fit.
    """
    regions = find_regions(read_text(path), Path(path).suffix)
    try:
        examples = [example for region in regions for example in find_examples(region, check)]
    except DirectiveError as mistake:
        raise DirectiveError(f"{path}:{mistake}") from None
    for override in overrides:
        fitting = [at for at, example in enumerate(examples) if _fits(override, example)]
        if not fitting:
            raise StaleOverride(f"{path}:{override.line}: no example here contains {override.original!r}")
        examples[fitting[0]] = _overridden(examples[fitting[0]], override)
    return examples


def run_document(
    path: str | os.PathLike[str],
    open_session: OpenSession = ChildSession,
    overrides: Sequence[Override] = (),
    dialect: str = "t7",
) -> Report:
    """Runs all examples of a document. Raises what `load_examples` raises."""
    session = open_session(dialect)
    try:
        examples = load_examples(path, session.check, overrides)
    except BaseException:
        session.close()
        raise
    return Report(str(path), list(run_examples(examples, open_session, dialect, session)))


def run_examples(
    examples: Sequence[Example],
    open_session: OpenSession,
    dialect: str = "t7",
    session: Session | None = None,
) -> Generator[Outcome, None, None]:
    """Runs examples in one session, or several where directives say so, and yields what became of each.

    `session` is a fresh one to begin with, which is closed at the end as the others are. When a session is
    lost the example that ran fails, and those after it are not run.
    """
    names = RandomNames()
    lost = ""
    try:
        for example in examples:
            asked = example.directives.dialect or dialect
            if session and (example.directives.reset or asked != dialect):
                session.close()
                session, names = None, RandomNames()
            dialect = asked
            if lost:
                yield Outcome(example, Verdict.NOT_RUN, note=lost)
                continue
            if example.directives.skip:
                yield Outcome(example, Verdict.SKIPPED)
                continue
            random = Randomness.DETECTED if names.visit(example.source) else Randomness.NONE
            try:
                session = session or open_session(dialect)
                answer = session.run(example.source, f"=line {example.line}")
            except SessionLost as reason:
                lost = f"the session was lost in line {example.line}"
                yield Outcome(example, Verdict.FAILED, error=str(reason), lost=True)
                continue
            yield judge(example, answer, Randomness.DECLARED if example.directives.random else random)
    finally:
        if session:
            session.close()


def judge(example: Example, answer: Answer, random: Randomness = Randomness.NONE) -> Outcome:
    """What became of an example; an error is right where it is expected, or shown as the output."""
    error = ""
    if answer.status is Status.INCOMPLETE:
        error = answer.message or "the source is not complete"
    elif answer.status is not Status.OK:
        error = answer.message or answer.status.value
    if example.directives.expect_error and not error:
        missing = "an error was expected, and none was raised"
        return Outcome(example, Verdict.FAILED, got=answer.text, error=missing, random=random)
    if not example.wanted and not example.directives.expect_error:
        verdict = Verdict.FAILED if error else Verdict.RAN
        return Outcome(example, verdict, got=answer.text, error=error, random=random)
    rule = _rule(example, answer.text, error, random)
    verdict = Verdict.PASSED if rule else Verdict.FAILED
    return Outcome(example, verdict, rule, answer.text, error, random=random)


def _rule(example: Example, got: str, error: str, random: Randomness) -> Rule | None:
    if error:
        return compare_error(example.wanted, got, error)
    if example.joined:
        return compare_joined(example.wanted, got)
    return compare_random(example.wanted, got) if random.value else compare(example.wanted, got)


def _fits(override: Override, example: Example) -> bool:
    return example.line == override.line and override.original in example.source


def _overridden(example: Example, override: Override) -> Example:
    if override.source is None:
        return replace(example, directives=replace(example.directives, skip=True))
    wanted = example.wanted if override.wanted is None else override.wanted
    return replace(example, source=override.source, wanted=wanted)
