"""The chapters of the manual: files of Markdown, in sections."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from t7shell.engine.lua_paths import installed_folder
from t7shell.manual import examples

_HEADING = re.compile(r"^(#{1,6}) (.+?)\s*$")
_FENCE = re.compile(r"^ *(```|~~~)")
# Chapters for developers of t7shell, and the home page of the site.
_ASIDE = ("decisions", "internals.md", "site")


@dataclass(frozen=True)
class Section:
    """A heading with its level, and the lines below it up to the next one."""

    title: str
    level: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """A file: its name below the folder of the manual without the suffix, such as `reference/math`, and
    the short one that `t7 help` takes: the last part, `math`, unless another chapter has it."""

    name: str
    short: str
    title: str
    sections: tuple[Section, ...]

    @property
    def text(self) -> str:
        """The Markdown."""
        return "\n".join(
            line for part in self.sections for line in (f"{'#' * part.level} {part.title}", *part.lines)
        )

    def example(self, section: Section, name: str) -> str:
        """The first input of a section that uses a name, with its output, after the inputs of the chapter
        that it needs; '' if there is none."""
        last = re.split("[.:]", name)[-1]
        if not any(last in line for line in section.lines):
            return ""
        before: list[examples.Input] = []
        for one, inputs in zip(self.sections, self._inputs, strict=True):
            if one is section:
                return examples.example(before, inputs, name) or examples.program(section.lines, name)
            before += inputs
        return ""

    @cached_property
    def _inputs(self) -> list[list[examples.Input]]:
        return [examples.inputs_of(section.lines) for section in self.sections]


def read_chapters() -> list[Chapter]:
    """All chapters: the index first, then in the order of their names."""
    base = Path(installed_folder("docs"))
    names = sorted(path.relative_to(base) for path in base.rglob("*.md"))
    names.sort(key=lambda name: name.name != "index.md")
    kept = [name for name in names if name.parts[0] not in _ASIDE]
    names_by_short: dict[str, str] = {}
    for path in kept:
        name = path.with_suffix("").as_posix()
        short = name.removesuffix("/index").rpartition("/")[2]
        names_by_short[name if short in names_by_short else short] = name
    return [_chapter(base / f"{name}.md", name, short) for short, name in names_by_short.items()]


def _chapter(path: Path, name: str, short: str) -> Chapter:
    sections: list[Section] = []
    title, level, lines, fenced = "", 0, list[str](), False
    for line in path.read_text(encoding="utf-8").splitlines():
        fenced ^= bool(_FENCE.match(line))
        match = None if fenced else _HEADING.match(line)
        if match:
            if level:
                sections.append(Section(title, level, tuple(lines)))
            title, level, lines = match[2], len(match[1]), []
        else:
            lines.append(line)
    sections.append(Section(title, level or 1, tuple(lines)))
    return Chapter(name, short, sections[0].title, tuple(sections))
