"""Comparing the outputs of a document with the actual ones.

The rules are tried from the strictest to the most lenient, each in addition to those before it; the first one
under which both texts agree is the result. No rule equates numbers that differ in the digits shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import islice

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf)(?![\w.])")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_FOOTER = re.compile(r"\[torch\.(?P<kind>\w+) of (?:size|dimension) (?P<size>[\dx]+)\]")
_COMMENT = re.compile(r"(?:^|\s+)--(?:\s.*)?$")
_ELLIPSIS = re.compile(r"\.{3,}|…")
# The lines that `th` printed below results, and the output of %time and %timeit.
_TIMING = re.compile(r"^\[\d+\.\d+s\]$|^\d[\d.e+]* [mun]?s (?:per run )?\((?:CPU|mean) [^()]*\)$")
_SCALE = re.compile(r"^[-+.\de]+ \*$")
_COLUMNS = re.compile(r"^Columns \d+ to \d+$")
# Where an error was raised: a chunk of the prompt, of a string, of a document.
_POSITION = re.compile(r"^(?:lua: |t7: )?(?:\[string \".*?\"\]|\[\d+\]|[\w./-]+):\d+: ")


# The maximum number of readings of an output whose comments end at an unknown word; each word is a candidate.
_MAX_CANDIDATES = 5000


class Rule(Enum):
    """The rule under which an output agrees with the document."""

    EXACT = "exactly"
    WHITESPACE = "ignoring white space"
    LINES = "ignoring line breaks"
    FOOTER = "ignoring the footer's wording"
    ADDRESS = "ignoring addresses"
    TIMING = "ignoring timings"
    POSITION = "ignoring the location of the error"
    COMMENT = "ignoring comments in the output"
    DIGITS = "to the digits shown"
    ELLIPSIS = "with parts elided"
    SHAPE = "in shape only (random values)"
    RAISED = "by raising an error"


def compare(wanted: str, got: str) -> Rule | None:
    """The strictest rule under which `got` agrees with the document; None if it does not."""
    if wanted.strip("\n") == got.strip("\n"):
        return Rule.EXACT
    left, right = _fold(wanted), _fold(got)
    if left == right:
        return Rule.WHITESPACE
    for rule, simplify in NORMALISERS:
        left, right = simplify(left), simplify(right)
        if left == right:
            return rule
    # Only the document has comments; a line of output may contain two dashes.
    bare = [line for line in (_COMMENT.sub("", line) for line in left) if line]
    if bare == right:
        return Rule.COMMENT
    for candidate in (left, bare):
        if len(candidate) == len(right) and all(map(_same_digits, candidate, right)):
            return Rule.DIGITS
    for candidate in (left, bare):
        if any(_ELLIPSIS.search(line) for line in candidate) and _elided(candidate, right):
            return Rule.ELLIPSIS
    return None


def compare_joined(wanted: str, got: str) -> Rule | None:
    """As `compare`, for an output whose line breaks are lost, and with them the ends of its comments."""
    printed = " ".join(got.split())
    for candidate in islice(_uncommented(" ".join(wanted.split())), _MAX_CANDIDATES):
        rule = compare(candidate, printed)
        if rule:
            return Rule.LINES if rule in (Rule.EXACT, Rule.WHITESPACE) else rule
    return None


def compare_error(wanted: str, got: str, message: str) -> Rule | None:
    """The rule for an example that must raise an error: output and message are compared if any are shown."""
    if not wanted.strip():
        return Rule.RAISED
    left, right = wanted, f"{got}{message}"
    rule = compare(left, right)
    if rule is None:
        rule = compare(_without_position(left), _without_position(right)) and Rule.POSITION
    return rule


def compare_random(wanted: str, got: str) -> Rule | None:
    """As `compare`, and Rule.SHAPE if only numbers and their formatting differ."""
    return compare(wanted, got) or (Rule.SHAPE if _shape(wanted) == _shape(got) else None)


def has_wildcard(wanted: str) -> bool:
    """Tells whether the document elides a part."""
    return _ELLIPSIS.search(wanted) is not None


def _fold(text: str) -> list[str]:
    """The lines that are not blank, with single spaces."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def _uncommented(text: str) -> Iterator[str]:
    """The text, and the text without its comments for each word at which the first of them may end."""
    yield text
    start = re.search(r"(?:^|\s)--\s", text)
    if start:
        for end in re.finditer(r"\s", text[start.end() :]):
            yield from _uncommented(f"{text[: start.start()]} {text[start.end() + end.end() :]}".strip())
        yield text[: start.start()]


def _without_position(text: str) -> str:
    """The lines without where the error was raised, and without the traceback."""
    lines = text.partition("stack traceback:")[0].splitlines()
    return "\n".join(_POSITION.sub("", line) for line in lines)


def _each(simplify: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    return lambda lines: [simplify(line) for line in lines]


def _plain_footer(line: str) -> str:
    """A footer in one wording for all versions; `torch.Tensor` was the name of double tensors."""

    def plain(match: re.Match[str]) -> str:
        kind = "DoubleTensor" if match["kind"] == "Tensor" else match["kind"]
        return f"[torch.{kind} of size {match['size']}]"

    return _FOOTER.sub(plain, line)


# Normalises wording that may differ, by rule. Each is applied to both texts, on top of those before it.
NORMALISERS: tuple[tuple[Rule, Callable[[list[str]], list[str]]], ...] = (
    (Rule.FOOTER, _each(_plain_footer)),
    (Rule.ADDRESS, _each(lambda line: _ADDRESS.sub("0x", line))),
    (Rule.TIMING, lambda lines: [line for line in lines if not _TIMING.match(line)]),
)


def _same_digits(wanted: str, got: str) -> bool:
    """Tells whether two lines are the same up to numbers that agree in all digits that the document shows."""
    if _NUMBER.sub("#", wanted) != _NUMBER.sub("#", got):
        return False
    numbers = zip(_NUMBER.findall(wanted), _NUMBER.findall(got), strict=True)
    return all(_same_number(a, b) for a, b in numbers)


def _same_number(wanted: str, got: str) -> bool:
    if wanted == got:
        return True
    mantissa, _, exponent = wanted.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    try:
        unit = 10.0 ** (int(exponent or 0) - decimals)
        difference = abs(float(wanted) - float(got))
    except (ValueError, OverflowError):
        return False
    # An integer shows all its digits.
    return difference == 0 or ("." in mantissa and difference <= 0.5 * unit * (1 + 1e-9))


def _elided(wanted: list[str], got: list[str]) -> bool:
    """Tells whether the printed text is the document's, to the digits, with any text in place of each
    ellipsis."""
    text = "\n".join(got)
    first, *middle, last = (part.strip() for part in _ELLIPSIS.split("\n".join(wanted)))
    at = _end_of(first, text, 0, re.Pattern.match)
    # The leftmost match of each part leaves the most room for the next: no backtracking.
    for part in middle:
        if at is not None:
            at = _end_of(part, text, at, re.Pattern.search)
    return at is not None and _end_of(last, text, at, re.Pattern.search, r"\Z") is not None


def _end_of(
    part: str, text: str, start: int, find: Callable[..., re.Match[str] | None], end: str = ""
) -> int | None:
    """The end of the first occurrence of a part from `start` on, its numbers compared by their digits."""
    pattern = re.compile(_with_any_number(part) + end)
    numbers = _NUMBER.findall(part)
    match = find(pattern, text, start)
    while match:
        if all(_same_number(a, b) for a, b in zip(numbers, match.groups(), strict=True)):
            return match.end()
        match = pattern.search(text, match.start() + 1) if find is re.Pattern.search else None
    return None


def _with_any_number(text: str) -> str:
    """A pattern for a text that captures any number in place of each of its numbers."""
    pattern, at = "", 0
    for number in _NUMBER.finditer(text):
        pattern += f"{re.escape(text[at : number.start()])}({_NUMBER.pattern})"
        at = number.end()
    return pattern + re.escape(text[at:])


def _shape(text: str) -> list[str]:
    """The lines with their numbers masked, and without those that depend on the size of the numbers."""
    lines = (_plain_footer(_COMMENT.sub("", line)) for line in _fold(text))
    return [
        line if _FOOTER.search(line) else _NUMBER.sub("#", line)
        for line in lines
        if line and not any(pattern.match(line) for pattern in (_SCALE, _COLUMNS, _TIMING))
    ]
