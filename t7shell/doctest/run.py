"""Running the examples of a document in order, in a new session."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from t7shell.doctest import judge
from t7shell.doctest.annotated import annotate
from t7shell.doctest.examples import Example
from t7shell.doctest.randomness import RandomNames
from t7shell.doctest.report import Outcome, Randomness, Verdict
from t7shell.doctest.session import OpenSession, Session, SessionLost
from t7shell.doctest.time_limit import TimeLimitExceeded, time_limit

_DEFAULT_TYPE = "torch.setdefaulttensortype('torch.DoubleTensor');"


def run_examples(
    examples: Sequence[Example],
    open_session: OpenSession,
    dialect: str = "t7",
    session: Session | None = None,
    path: str = "",
    timeout: float | None = None,
    sections: bool = False,
) -> Generator[list[Outcome], None, None]:
    """Runs examples in one session, or in several if directives say so. Yields the outcomes of each example
    and of its annotated statements.

    `session` is an unused one for the first examples; all sessions are closed at the end. When a session is
    lost, the example that ran fails, and those after it are not run. With `sections` each section of the
    document begins with the default type of tensors.
    """
    names = RandomNames()
    ran: list[Example] = []
    lost = ""
    count = 0
    section = 0
    try:
        for example in examples:
            asked = example.directives.dialect or dialect
            if session and (example.directives.reset or asked != dialect):
                session.close()
                session, names, ran, count = None, RandomNames(), [], 0
            dialect = asked
            if lost:
                yield [Outcome(example, Verdict.NOT_RUN, note=lost)]
                continue
            if example.directives.skip:
                yield [Outcome(example, Verdict.SKIPPED)]
                continue
            random = Randomness.DETECTED if names.visit(example.source) else Randomness.NONE
            count += 1
            try:
                session = session or open_session(dialect)
                if sections and example.section != section:
                    session.run(_DEFAULT_TYPE, "=(section)")
                section = example.section
                found = _run(example, session, path, count, random, timeout)
                yield [_explained(outcome, ran) for outcome in found]
                ran.append(example)
            except SessionLost as reason:
                lost = f"the session was lost in line {example.line}"
                yield [Outcome(example, Verdict.FAILED, error=str(reason), lost=True)]
    finally:
        if session:
            session.close()


_WITHOUT_VALUE = re.compile(r"global '(\w+)' \(a nil value\)")


def _explained(outcome: Outcome, before: Sequence[Example]) -> Outcome:
    """Says in an error about a name that an example before declared it local."""
    match = _WITHOUT_VALUE.search(outcome.error)
    if not match or outcome.verdict is not Verdict.FAILED:
        return outcome
    declares = re.compile(rf"\blocal\s+(?:function\s+)?(?:\w+\s*,\s*)*{match[1]}\b")
    lines = [example.line for example in before if declares.search(example.source)]
    if not lines:
        return outcome
    hint = f"'{match[1]}' was local to the example in line {lines[-1]}; without `local` it stays"
    return replace(outcome, error=f"{outcome.error}\n{hint}")


def _run(
    example: Example, session: Session, path: str, count: int, random: Randomness, timeout: float | None
) -> list[Outcome]:
    """Runs an example as input number `count`, and judges it."""
    source, notes = (example.source, []) if example.joined else annotate(example.source, session.check)
    # A program is named after its file, and so is its result.
    name = Path(path or "program.lua")
    if example.script:
        answer = session.run(source, f"={name.name}", name.stem)
    else:
        answer = session.run(source, f"=[{count}]")
    if example.directives.random:
        random = Randomness.DECLARED
    try:
        with time_limit(timeout):
            return list(judge.judge(example, notes, answer, random))
    except TimeLimitExceeded:
        reason = f"the comparison timed out after {timeout:g} s"
        return [Outcome(example, Verdict.FAILED, got=answer.text, error=reason, random=random)]
