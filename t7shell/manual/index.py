"""An index of the manual: entries by name, and search by word.

Names are found in the first column of tables, `` `paths.basename(name)` | the last part of a name ``, and in
headings that consist of a name. The example of a name is the first input in its section that calls it, after
the inputs that set its variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from t7shell.manual.chapters import Chapter, Section, read_chapters

_ROW = re.compile(
    r"^\| (?P<calls>`[^|]*`[^|]*?) *\| *(?P<text>(?:\\.|[^|\\])*?) *(?:\| *(?P<more>.*?) *)?\|$"
)
_CODE = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"^(?:[\w, ]+ = )?([A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*)(?=$|[\s({'\"])")
_HEADING_NAME = re.compile(r"^`?([A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)*)(?:\(.*\))?`?$")
_PARTS = re.compile(r"[a-z]+")
# Words of a question to ignore, and synonyms in the manual for others.
_EMPTY = {"a", "an", "the", "how", "to", "do", "i", "of", "in", "on", "my", "from", "with", "and"}
_ALIKE = {
    "model": {"object", "network", "objects", "networks"},
    "network": {"object", "model", "objects"},
    "picture": {"image"},
    "write": {"save"},
    "read": {"load"},
    "train": {"training", "optim"},
    "random": {"rand", "uniform", "normal"},
}
_MAX_FUNCTIONS = 5
_SHORTEST_BEGINNING = 3  # letters


@dataclass(frozen=True)
class Entry:
    """An entry for a name in a table or a section: its usage, a text in Markdown, and its location."""

    name: str
    usage: str
    text: str
    chapter: Chapter
    section: Section

    @property
    def example(self) -> str:
        """The first input of the section, else of the chapter, that uses the name, with its output; or ''."""
        sections = (self.section, *self.chapter.sections)
        return next(filter(None, (self.chapter.example(one, self.name) for one in sections)), "")


class Manual:
    """The chapters and their index."""

    def __init__(self, chapters: list[Chapter]) -> None:
        self.chapters = chapters
        self._entries: dict[str, list[Entry]] = {}
        for chapter in chapters:
            for entry in _entries(chapter):
                self._entries.setdefault(_key(entry.name), []).append(entry)

    def chapter(self, name: str) -> Chapter | None:
        """A chapter by its name, by its short one, or by its title: `reference/math`, `math`, `Tensors`."""
        name = name.lower().removesuffix(".md")
        chapters = {one.title.lower(): one for one in reversed(self.chapters)}
        chapters |= {key: one for one in self.chapters for key in (one.short, one.name)}
        return chapters.get(name)

    def entries(self, name: str) -> list[Entry]:
        """Finds `torch.add`, `paths.concat` or, of any object, `:narrow`. Functions of torch
        that are described as methods of tensors alone count, too."""
        found = self._entries.get(_key(name), [])
        if not found and name.startswith("torch."):
            methods = self._entries.get(":" + name[len("torch.") :], [])
            found = [entry for entry in methods if entry.chapter.name == "tensor"]
        package, _, rest = name.partition(".")
        if not found and rest:
            # Chapters of a package leave its name out.
            own = self._entries.get(_key(rest), [])
            found = [entry for entry in own if package in entry.chapter.name.split("/")]
        return found

    def alike(self, entry: Entry) -> list[Entry]:
        """The entries of the name of an entry in its section: other forms of the same function."""
        found = self._entries[_key(entry.name)]
        return [one for one in found if one.section is entry.section and one.name == entry.name]

    def example(self, name: str) -> str:
        """The first input of the manual that uses a full name such as `nn.Linear`; '' if there is none."""
        if "." not in name:
            return ""
        package = name.partition(".")[0]
        chapters = sorted(self.chapters, key=lambda one: package not in one.name.split("/"))
        found = (
            one.example(section, name)
            for one in chapters
            for section in one.sections
            if any(name in line for line in section.lines)
        )
        return next(filter(None, found), "")

    def functions(self, words: str) -> list[Entry]:
        """The functions that match words: all words are in the name or the text, and one in the name."""
        wanted = [word for word in words.lower().split() if word not in _EMPTY]
        found: list[tuple[tuple[int, str], Entry]] = []
        for entries in self._entries.values():
            for entry in entries[:1]:
                if entry.name not in entry.usage or "(" not in entry.usage:
                    continue
                name = set(_PARTS.findall(entry.name.lower()))
                text = set(_PARTS.findall(f"{entry.usage} {entry.text}".lower()))
                hits = [_ALIKE.get(word, {word}) | {word} for word in wanted]
                if any(word & name for word in hits) and all(word & (name | text) for word in hits):
                    first = sum(not word & name for word in hits) - 2 * entry.name.startswith("torch.")
                    found.append(((first, entry.name), entry))
        return [entry for _, entry in sorted(found, key=lambda one: one[0])[:_MAX_FUNCTIONS]]

    def titled(self, name: str) -> Section | None:
        """The section within a chapter whose title names a package."""
        word = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
        sections = (section for chapter in self.chapters for section in chapter.sections)
        return next((one for one in sections if one.level > 1 and word.search(one.title)), None)

    def names(self) -> set[str]:
        """All names that have entries."""
        return {entry.name for entries in self._entries.values() for entry in entries}

    def search(self, words: str) -> list[tuple[Chapter, Section]]:
        """The sections that contain all of the words, those with one in the title first; if none does,
        those with longer words that begin like them."""
        kept = [word for word in words.split() if word.lower() not in _EMPTY] or words.split()
        found = self._sections(kept, r"(?:s|es|ed|ing)?\b")
        if found or any(len(word) < _SHORTEST_BEGINNING for word in kept):
            return found
        return self._sections(kept, "")

    def _sections(self, words: list[str], end: str) -> list[tuple[Chapter, Section]]:
        wanted = [re.compile(rf"\b{re.escape(word)}{end}", re.I) for word in words]
        found: list[tuple[int, Chapter, Section]] = []
        for chapter in self.chapters:
            for section in chapter.sections:
                text = "\n".join([chapter.title, section.title, *section.lines])
                if wanted and all(word.search(text) for word in wanted):
                    in_title = sum(bool(word.search(section.title)) for word in wanted)
                    found.append((-in_title, chapter, section))
        return [(chapter, section) for _, chapter, section in sorted(found, key=lambda one: one[0])]


@cache
def load() -> Manual:
    """The manual of this installation; empty if it is missing."""
    return Manual(read_chapters())


def _key(name: str) -> str:
    """The key of a name in the index; methods have the same key for any object."""
    return ":" + name.rpartition(":")[2] if ":" in name else name


def _entries(chapter: Chapter) -> Iterator[Entry]:
    for section in chapter.sections:
        heading = _HEADING_NAME.match(section.title)
        if heading and section.level > 1:
            name = heading[1]
            # The reference writes a constructor with its arguments below its name.
            call = next((line.strip() for line in section.lines if line.startswith(f"    {name}(")), "")
            usage = call or section.title.strip("`")
            yield Entry(name, usage, _prose(section), chapter, section)
        for line in section.lines:
            row = _ROW.match(line)
            if row:
                yield from _of_row(row, chapter, section)


def _of_row(row: re.Match[str], chapter: Chapter, section: Section) -> Iterator[Entry]:
    calls = _CODE.findall(row["calls"])
    text = ". ".join(part for part in (row["text"], row["more"]) if part)
    names: set[str] = set()
    for call in calls:
        match = _NAME.match(call)
        if match and match[1] not in names:
            names.add(match[1])
            same = [one for one in calls if (named := _NAME.match(one)) and named[1] == match[1]]
            usage = "\n".join(same) or call
            yield Entry(match[1], usage, text, chapter, section)


def _prose(section: Section) -> str:
    """The paragraphs of a section, without its tables and code."""
    kept: list[str] = []
    fenced = False
    for line in section.lines:
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("|", "    ")):
            kept.append(line)
    return "\n".join(kept).strip()
