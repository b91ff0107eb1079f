"""Examples in the manual: an input of a transcript, after the inputs that it needs.

These set its variables, call methods of their values or change their fields, or create the files that it
names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

_PROMPT = "t7> "
_MORE = re.compile(r"(?:\.\.|>|\s*)>+ ?")
_LOOP = re.compile(r"\bfor (\w+(?:, *\w+)*) (?:in|=)")
_STRING = re.compile(r"'((?:\\.|[^'\\])*)'|\"((?:\\.|[^\"\\])*)\"")
_COMMENT = re.compile(r"--.*")
_ASSIGNED = re.compile(r"(?:local )?(\w+(?:, *\w+)*) = |(?:local )?function (\w+)\(")
_REQUIRED = re.compile(r"require *\(?'([\w.-]+)'")
# Names that are neither fields, methods nor keys of a table.
_VARIABLE = re.compile(r"(?<![\w.:])[A-Za-z_]\w*")
_KEY = re.compile(r"(?<=[{,])\s*\w+\s*=(?!=)")
_CHANGED = re.compile(r"(?<![\w.:])([A-Za-z_]\w*)(?::\w|(?:\.\w+|\[[^\]]*\])+ = | = )")
# The output of a failing input.
_ERROR = re.compile(r"(?:\.\.\.|\[\d+\]:\d+): ")
_MAX_SHOWN = 12  # lines of an example


@dataclass(frozen=True)
class Input:
    """An input with its output, and the variables that it sets, reads and changes."""

    lines: tuple[str, ...]
    output: tuple[str, ...]
    source: str = ""
    assigned: frozenset[str] = field(default=frozenset())
    used: frozenset[str] = field(default=frozenset())
    changed: frozenset[str] = field(default=frozenset())
    texts: frozenset[str] = field(default=frozenset())

    @property
    def fails(self) -> bool:
        """Whether its output is an error."""
        return bool(self.output) and bool(_ERROR.match(self.output[0]))

    @property
    def is_quiet(self) -> bool:
        """Whether it is a statement, and not an expression whose value is shown."""
        return not self.output or self.output == ("true",)


def inputs_of(lines: Sequence[str]) -> list[Input]:
    """The inputs of the transcripts among lines of Markdown."""
    found: list[Input] = []
    at = 0
    while at < len(lines):
        if lines[at].startswith(_PROMPT):
            end = at + 1
            while end < len(lines) and _MORE.match(lines[end]):
                end += 1
            shown = end
            while shown < len(lines) and not lines[shown].startswith((_PROMPT, "```")):
                shown += 1
            found.append(_input(lines[at:end], lines[end:shown]))
            at = shown
        else:
            at += 1
    return found


def _input(lines: Sequence[str], output: Sequence[str]) -> Input:
    source = "\n".join([lines[0][len(_PROMPT) :], *(_MORE.sub("", line, count=1) for line in lines[1:])])
    texts = frozenset(match[1] or match[2] or "" for match in _STRING.finditer(source))
    code = _COMMENT.sub("", _STRING.sub("''", source))
    match = _ASSIGNED.match(code)
    assigned = frozenset(re.split(r", *", match[1] or match[2])) if match else frozenset[str]()
    if not match:
        # The names that packages set.
        assigned = frozenset(name.rpartition(".")[2] for name in _REQUIRED.findall(source))
    read = _KEY.sub("", code[match.end() :] if match else code)
    own = {name for names in _LOOP.findall(code) for name in re.split(r", *", names)}
    used = frozenset(_VARIABLE.findall(read)) - own
    quiet = not output
    changed = frozenset(_CHANGED.findall(code)) - assigned if quiet else frozenset[str]()
    return Input(tuple(lines), tuple(output), source, assigned, used, changed, texts)


def example(before: Sequence[Input], own: Sequence[Input], name: str) -> str:
    """The first input of a section that calls a name, preceded by the inputs that it needs from the section
    and before it; '' if there is none.
    """
    called = _call(name)
    every = [*before, *own]
    found: list[list[str]] = []
    for at in range(len(before), len(every)):
        if called.search(every[at].source) and not every[at].fails:
            needed = [line for k in sorted(_needed(every, at)) for line in every[k].lines]
            shown = [*needed, *every[at].lines, *every[at].output]
            if len(shown) <= _MAX_SHOWN:
                return "\n".join(shown)
            found.append(shown)
    shortest: list[str] = min(found, key=len, default=[])
    return "\n".join(shortest)


def program(lines: Sequence[str], name: str) -> str:
    """The line that calls a name of a program which cannot run in every document; '' if there is none."""
    called = _call(name)
    code = (line.strip() for line in lines if line.startswith("    "))
    return next((line for line in code if called.search(line)), "")


def _call(name: str) -> re.Pattern[str]:
    last = re.split("[.:]", name)[-1]
    # Packages may have functions of the same name.
    before_last = ":" if "." in name else "[.:]"
    return re.compile(rf"(?<![\w.:]){re.escape(name)}\b|{before_last}{re.escape(last)}\s*[({{'\"]")


def _needed(every: Sequence[Input], target: int) -> set[int]:
    """The positions of the inputs that the one at `target` needs."""
    needed: set[int] = set()
    files = _FileVariables(every)
    todo = [target]
    while todo:
        at = todo.pop()
        for name in every[at].used | every[at].changed:
            first = _setter(every, name, at)
            if first is None:
                continue
            # The object may be changed after it was read, unless the variable has a new value by then.
            end = target if _setter(every, name, target) == first else at
            is_file = files.has(name, first)
            for k in range(first, end):
                one = every[k]
                is_call = one.is_quiet and not one.assigned
                touches = name in one.changed or (is_file and is_call and name in one.used)
                if k not in needed and (k == first or touches):
                    needed.add(k)
                    todo.append(k)
        folders = {text[:k] for text in every[at].texts for k in _ends(text)}
        for k in range(at):
            if k not in needed and every[k].is_quiet and not every[k].assigned and folders & every[k].texts:
                needed.add(k)
                todo.append(k)
    return needed


def _setter(every: Sequence[Input], name: str, before: int) -> int | None:
    return next((k for k in range(before - 1, -1, -1) if name in every[k].assigned), None)


def _ends(text: str) -> list[int]:
    """The ends of a file name and of its folders in a text; [] for other texts."""
    if not re.fullmatch(r"[\w./-]*(?:\.[a-z]\w*|/[\w-]+)", text):
        return []
    return [len(text), *(k for k, letter in enumerate(text) if letter == "/" and k > 0)]


class _FileVariables:
    """Finds variables that hold the names of temporary files."""

    def __init__(self, every: Sequence[Input]) -> None:
        self._every = every

    def has(self, name: str, setter: int) -> bool:
        """Tells whether the variable that an input sets holds one."""
        one = self._every[setter]
        if "tmpname" in one.source:
            return True
        for other in one.used - {name}:
            first = _setter(self._every, other, setter)
            if first is not None and ".." in one.source and self.has(other, first):
                return True
        return False
