"""Tables of Lua as text: one form for the ways in which shells print them.

The last Torch7 printed an entry a line, `a : 1`; Penlight and programs write `{1, 2, a = 3}`. Both become
entries `key=value` in the order of the keys.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = re.compile(
    r"\s*(?:(?P<mark>[{}=,;:\[\]])|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')|(?P<word>[^\s{}=,;:\[\]\"']+))"
)


def plain_tables(lines: Sequence[str]) -> list[str]:
    """The lines, with those that are together one table replaced by one line of its entries."""
    found: list[str] = []
    at = 0
    while at < len(lines):
        end = _table_end(lines, at)
        entries = _read("\n".join(lines[at:end])) if end > at else None
        if entries is None:
            found.append(lines[at])
            at += 1
        else:
            found.append(entries)
            at = end
    return found


def _table_end(lines: Sequence[str], start: int) -> int:
    """The index after the table that begins in a line, or the index itself if none does."""
    if not lines[start].startswith("{"):
        return start
    depth = 0
    for at in range(start, len(lines)):
        depth += lines[at].count("{") - lines[at].count("}")
        if depth == 0:
            return at + 1
    return start


def _read(text: str) -> str | None:
    """The text of a table in one form; None if it is none."""
    tokens: list[str] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return None
        string = match["string"]
        tokens.append('"' + string[1:-1] + '"' if string else match[0].strip())
        at = match.end()
    try:
        table = _table(tokens)
    except IndexError:
        return None
    return table if table is not None and not tokens else None


def _table(tokens: list[str]) -> str | None:
    """Reads a table off the tokens; IndexError if they end too early, None if they are not a table."""
    if tokens.pop(0) != "{":
        return None
    entries: dict[str, str] = {}
    while tokens[0] != "}":
        key = _key(tokens)
        if key is None:
            key = str(len(entries) + 1)
        value = _table(tokens) if tokens[0] == "{" else tokens.pop(0)
        if value is None or value in ("}", "=", ":", "]", "["):
            return None
        entries[key] = value
        if tokens[0] in (",", ";"):
            tokens.pop(0)
    tokens.pop(0)
    return "{" + ", ".join(f"{key}={entries[key]}" for key in sorted(entries)) + "}"


def _key(tokens: list[str]) -> str | None:
    """Reads `a =`, `a :` or `[a] =` off the tokens, None if the entry has no key."""
    if tokens[0] == "[" and tokens[2:4] == ["]", "="]:
        key = tokens[1]
        del tokens[:4]
        return key.strip('"')
    if tokens[1] in ("=", ":"):
        key = tokens[0]
        del tokens[:2]
        return key.strip('"')
    return None
