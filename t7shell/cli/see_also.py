"""What to see beside an entry of the reference: entries that its text names, of like names, or next to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_MAX_NAMES = 3


@dataclass(frozen=True)
class Entry:
    """A heading of the reference: its page, its title, such as `nn.Linear` or `add`, and its sentence."""

    page: str
    title: str
    text: str

    @property
    def name(self) -> str:
        """The name without its package."""
        return self.title.rpartition(".")[2]

    @property
    def anchor(self) -> str:
        """The part of an address that leads to the heading."""
        return re.sub(r"[^\w -]", "", self.title.lower()).replace(" ", "-")


class SeeAlso:
    """The entries of the reference, and which of them belong together."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._place = {entry.title: at for at, entry in enumerate(entries)}
        self._parts = [{part.lower() for part in _PARTS.findall(entry.name)} for entry in entries]
        self._count = Counter(part for parts in self._parts for part in parts)
        patterns = [_mention(entry) for entry in entries]
        self._named = [
            {k for k, pattern in enumerate(patterns) if pattern.search(entry.text)} for entry in entries
        ]

    def of(self, title: str) -> list[Entry]:
        """The entries to see beside one, the closest first."""
        at = self._place[title]
        scores = [(self._score(at, k), -abs(k - at), k) for k in range(len(self._entries)) if k != at]
        best = sorted((one for one in scores if one[0] > 0), reverse=True)[:_MAX_NAMES]
        return [self._entries[k] for _, _, k in best]

    def links(self, title: str) -> str:
        """These entries as links in Markdown."""
        page = self._entries[self._place[title]].page
        shown = (
            f"[`{one.title}`]({'' if one.page == page else one.page}#{one.anchor})" for one in self.of(title)
        )
        return ", ".join(shown)

    def _score(self, at: int, k: int) -> float:
        here, there = self._entries[at], self._entries[k]
        score = 4.0 * (k in self._named[at]) + 2.0 * (at in self._named[k])
        if ("." in here.title) == ("." in there.title):
            # Rare words say more: "Lookup" binds two names closer than "Spatial".
            shared = self._parts[at] & self._parts[k]
            score += sum(3 / self._count[part] for part in shared)
            score += 0.5 * (here.page == there.page and bool(shared))
        alike = {here.name.lower(), f"c{here.name}"} & {there.name.lower(), f"c{there.name}"}
        score += 3 * bool(alike)
        near = {1: 0.6, 2: 0.3, 3: 0.1}.get(abs(at - k), 0.0)
        return score + near * (here.page == there.page)


def _mention(entry: Entry) -> re.Pattern[str]:
    """What a text has that names an entry. Functions are words, too, unless they are in backquotes; a method
    of an object that is not `x` is another one.
    """
    name = re.escape(entry.name) if "." in entry.title else f"`{re.escape(entry.name)}`"
    return re.compile(rf"(?<![\w.])(?<!\w\w:)(?:{name}|{re.escape(entry.title)}\()(?!\w)|nn\.{name}(?!\w)")
