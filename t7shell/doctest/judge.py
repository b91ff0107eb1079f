"""Judges examples: compares the output in the document with the actual one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from t7shell.doctest.annotated import Note, Seen, read_marks
from t7shell.doctest.compare import Rule, compare, compare_error, compare_joined, compare_random
from t7shell.doctest.examples import Example
from t7shell.doctest.model import Line
from t7shell.doctest.report import Outcome, Randomness, Verdict
from t7shell.doctest.session import Answer
from t7shell.engine.result import Status


def judge(
    example: Example, notes: Sequence[Note], answer: Answer, random: Randomness = Randomness.NONE
) -> Iterator[Outcome]:
    """The outcomes of an example: of its annotated statements, and of the whole unless only these count."""
    text, seen = read_marks(answer.text) if notes else (answer.text, {})
    whole = _whole(example, replace(answer, text=text), random)
    if not notes or whole.verdict is not Verdict.RAN:
        yield whole
    for number, note in enumerate(notes):
        yield _annotated(example, note, seen.get(number), random)


def _whole(example: Example, answer: Answer, random: Randomness) -> Outcome:
    """An error passes if it is expected or shown as the output."""
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


def _annotated(example: Example, note: Note, seen: Seen | None, random: Randomness) -> Outcome:
    """The outcome of one annotated statement, as a separate example."""
    line = example.line + note.line
    shown = (Line(line, note.wanted),)
    part = replace(
        example,
        line=example.line + note.first,
        source=note.source,
        wanted=note.wanted,
        shown=shown,
        annotation=True,
    )
    if seen is None:
        return Outcome(part, Verdict.NOT_RUN, note="not reached")
    if not seen.finished and not note.expects_error:
        return Outcome(part, Verdict.NOT_RUN, note="ended by an error")
    printed = "".join(seen.printed)
    got = printed if printed.strip() else "".join(seen.values).strip("\n")
    rule = _annotation_rule(note, got, random)
    if rule:
        return Outcome(part, Verdict.PASSED, rule, got, random=random)
    # After an assignment or a statement without output an arrow may introduce a remark.
    if (
        not printed.strip()
        and not note.is_literal
        and not note.expects_error
        and ("\n" in got or not got)
    ):
        return Outcome(part, Verdict.RAN, got=got, random=random)
    return Outcome(part, Verdict.FAILED, got=got, random=random)


def _annotation_rule(note: Note, got: str, random: Randomness) -> Rule | None:
    if note.expects_error:
        if not got.startswith("error:"):
            return None
        message = got.removeprefix("error:").strip()
        bare = note.message.strip(" '\"")
        return Rule.RAISED if not bare or bare in message else compare_error(bare, "", message)
    wanted = note.wanted
    candidates = [wanted]
    if len(wanted) > 1 and wanted[0] in "\"'" and wanted.rstrip()[-1] == wanted[0]:
        candidates.append(wanted.rstrip()[1:-1])
    if "," in wanted:
        candidates.append(" ".join(part.strip().strip("\"'") for part in wanted.split(",")))
    for candidate in candidates:
        rule = compare_random(candidate, got) if random.value else compare(candidate, got)
        # One line may show an output of several lines.
        if rule is None and "\n" not in candidate and "\n" in got.strip():
            rule = compare_joined(candidate, got)
        if rule:
            return rule
    return None
