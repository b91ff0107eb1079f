"""Markdown as text for a terminal of any width."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

MAX_WIDTH = 100
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|\*|_)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_CODE = re.compile(r"`([^`]+)`")
_ESCAPED = re.compile(r"\\([*_\[\]<>|`\\])")
_ITEM = re.compile(r"^(\s*)([-*]|\d+\.) +")
_HEADING = re.compile(r"^(#{1,6}) (.+)$")
_SEPARATOR = re.compile(r"^\|[-| :]+\|$")


def plain(markdown: str) -> str:
    """A text without the markup of Markdown; code stays unchanged."""
    parts = _CODE.split(_LINK.sub(r"\1", markdown))
    for at in range(0, len(parts), 2):
        parts[at] = _ESCAPED.sub(r"\1", _EMPHASIS.sub(r"\2", parts[at]))
    return "".join(parts)


def render(markdown: str, columns: int = 80) -> str:
    """The text in lines of at most `columns` characters; code stays as it is, four blanks in."""
    columns = min(columns, MAX_WIDTH) - 1
    out: list[str] = []
    lines = markdown.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        heading = _HEADING.match(line)
        if line.lstrip().startswith("```"):
            at, block = _fenced(lines, at)
            out += ["    " + code if code else "" for code in block]
        elif heading:
            title = plain(heading[2])
            out += [title.upper() if len(heading[1]) == 1 else title]
            under = {1: "=", 2: "-"}.get(len(heading[1]), "")
            out += [under * len(title)] if under else []
            at += 1
        elif line.startswith("|"):
            end = at
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            out += _table(lines[at:end], columns)
            at = end
        elif line.startswith("    ") or not line.strip():
            out.append(line)
            at += 1
        else:
            at, paragraph = _paragraph(lines, at)
            out += _filled(paragraph, columns)
    return "\n".join(_without_runs(out)).strip("\n")


def _fenced(lines: Sequence[str], at: int) -> tuple[int, list[str]]:
    end = at + 1
    while end < len(lines) and not lines[end].lstrip().startswith("```"):
        end += 1
    return end + 1, list(lines[at + 1 : end])


def _paragraph(lines: Sequence[str], at: int) -> tuple[int, str]:
    """The lines of a paragraph or of an item of a list as one."""
    end = at + 1
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(("|", "#", "```")):
        if _ITEM.match(lines[end]):
            break
        end += 1
    return end, " ".join([lines[at].rstrip(), *(line.strip() for line in lines[at + 1 : end])])


def _filled(paragraph: str, columns: int) -> list[str]:
    item = _ITEM.match(paragraph)
    indent = item[1] if item else ""
    text = plain(paragraph[item.end() :] if item else paragraph)
    first = f"{indent}{item[2]} " if item else ""
    return textwrap.wrap(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _table(lines: Sequence[str], columns: int) -> Iterator[str]:
    """Rows with columns of natural width; the last one takes the rest, and wide cells are wrapped."""
    rows = [_cells(line) for line in lines if not _SEPARATOR.match(line)]
    count = max(map(len, rows))
    rows = [row + [""] * (count - len(row)) for row in rows]
    widths = [min(max(len(row[i]) for row in rows), columns // 2) for i in range(count - 1)]
    while count > 2 and sum(widths) + 2 * len(widths) > columns * 2 // 3:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    start = sum(widths) + 2 * len(widths)
    for row in rows:
        shown = [
            textwrap.wrap(cell, max(width, 1), break_long_words=False, break_on_hyphens=False) or [""]
            for cell, width in zip(row, [*widths, max(columns - start, 10)], strict=True)
        ]
        # A cell that is too wide gets a separate line above the others.
        if any(len(part) > width for part, width in zip(shown[0], widths, strict=False)) or len(shown[0]) > 1:
            yield from textwrap.wrap(row[0], columns, subsequent_indent="   ", break_long_words=False)
            shown[0] = [""]
        for parts in zip_longest(*shown, fillvalue=""):
            line = "".join(f"{part:<{width}}  " for part, width in zip(parts, widths, strict=False))
            yield (line + parts[-1]).rstrip()


def _cells(line: str) -> list[str]:
    inside = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [plain(cell.strip()) for cell in inside]


def _without_runs(lines: Sequence[str]) -> list[str]:
    """The lines with runs of blank ones reduced to one."""
    return [line for at, line in enumerate(lines) if line.strip() or (at and lines[at - 1].strip())]
