"""Settings of plots, and the commands of gnuplot that change them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

Range = tuple[float | None, float | None]
# Changes settings by the words of a command.
Change = Callable[["Settings", str], object]


@dataclass
class Settings:
    """The settings of a plot."""

    title: str = ""
    labels: dict[str, str] = field(default_factory=dict)  # 'x', 'y', 'z' -> text
    ranges: dict[str, Range] = field(default_factory=dict)  # 'x', 'y', 'z', 'cb' -> limits
    tics: dict[str, list[tuple[str, float]] | float | None] = field(default_factory=dict)  # None: no tics
    log: set[str] = field(default_factory=set)
    grid: bool = False
    legend: bool = True
    place: tuple[str, str] = ("right", "top")
    outside: bool = False
    aspect: str = "auto"  # 'auto', 'equal', 'image', 'fill'
    palette: str = "gray"
    style: str = ""  # the format of curves without one
    surface: bool = False
    border: bool = True


class NotUnderstood(ValueError):
    """An unsupported command or setting; the message names it."""


def text_of(words: str) -> str:
    """The text in quotes at the start; plain words are taken as they are."""
    found = re.match(r"\s*(\"((?:[^\"\\]|\\.)*)\"|'([^']*)')", words)
    if not found:
        return words.strip()
    if found[2] is None:
        return found[3]
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], found[2])


def _range(settings: Settings, axis: str, words: str) -> None:
    found = re.match(r"\s*\[\s*([^:\]]*?)\s*(?::|to)\s*([^\]]*?)\s*\]", words)
    if not found:
        raise NotUnderstood(f"set {axis}range {words.strip()}")
    settings.ranges[axis] = (_limit(found[1]), _limit(found[2]))


def _limit(word: str) -> float | None:
    return None if word in ("", "*") else float(word)


def _tics(settings: Settings, axis: str, words: str) -> None:
    found = re.search(r"\((.*)\)", words, re.DOTALL)
    if found:
        marks = re.findall(r"(?:(\"[^\"]*\"|'[^']*')\s+)?([-+.\deE]+)", found[1])
        settings.tics[axis] = [(name.strip("'\"") or number, float(number)) for name, number in marks]
    elif re.fullmatch(r"\s*[-+.\deE]+\s*", words):
        settings.tics[axis] = float(words)
    else:
        settings.tics.pop(axis, None)


def _key(settings: Settings, words: str) -> None:
    settings.legend = True
    for word in words.replace(",", " ").split():
        if word in ("off", "nokey"):
            settings.legend = False
        elif word in ("left", "right", "center"):
            settings.place = (word, settings.place[1])
        elif word in ("top", "bottom", "middle"):
            settings.place = (settings.place[0], word)
        elif word in ("outside", "out", "inside", "ins"):
            settings.outside = word.startswith("out")


def _log(settings: Settings, words: str) -> None:
    letters = words.split()[0] if words.split() else "xyz"
    settings.log |= {axis for axis in ("x", "y", "z") if axis in letters}


def _label(settings: Settings, axis: str, words: str) -> None:
    settings.labels[axis] = text_of(words)


def _axis(change: Callable[[Settings, str, str], object], axis: str) -> Change:
    return lambda settings, words: change(settings, axis, words)


def _put(name: str, value: object) -> Change:
    return lambda settings, _: setattr(settings, name, value)


def _size(settings: Settings, words: str) -> None:
    if words.split()[:1] in (["square"], ["ratio"]):
        settings.aspect = "equal" if "-1" in words or "square" in words else settings.aspect


def _style(settings: Settings, words: str) -> None:
    if words.split()[:1] == ["data"]:
        settings.style = "with " + words.split(None, 1)[1]


def _nothing(_settings: Settings, _words: str) -> None:
    """A setting without effect on the drawing."""


# Settings of gnuplot that programs make and that change nothing here.
_WITHOUT_EFFECT = (
    *("boxwidth", "hidden3d", "view", "ticslevel", "xyplane", "samples", "isosamples", "encoding"),
    *("datafile", "format", "pointsize", "tics", "mxtics", "mytics", "colorbox", "lmargin", "rmargin"),
    *("tmargin", "bmargin", "origin", "autoscale", "dgrid3d", "contour", "angles"),
)

SET: dict[str, Change] = {
    "title": lambda settings, words: setattr(settings, "title", text_of(words)),
    "logscale": _log,
    "grid": _put("grid", True),
    "key": _key,
    "palette": lambda settings, words: setattr(settings, "palette", words.strip() or "color"),
    "size": _size,
    "style": _style,
    "pm3d": _put("surface", True),
    "border": _put("border", True),
    **{f"{axis}label": _axis(_label, axis) for axis in ("x", "y", "z")},
    **{f"{axis}range": _axis(_range, axis) for axis in ("x", "y", "z", "cb")},
    **{f"{axis}tics": _axis(_tics, axis) for axis in ("x", "y", "z")},
    **dict.fromkeys(_WITHOUT_EFFECT, _nothing),
}

UNSET: dict[str, Change] = {
    "title": _put("title", ""),
    "logscale": lambda settings, words: settings.log.difference_update([*words.split(), "xyz"][0]),
    "grid": _put("grid", False),
    "key": _put("legend", False),
    "pm3d": _put("surface", False),
    "border": _put("border", False),
    **{f"{x}label": _axis(lambda settings, axis, _: settings.labels.pop(axis, None), x) for x in "xyz"},
    **{
        f"{x}range": _axis(lambda settings, axis, _: settings.ranges.pop(axis, None), x)
        for x in ("x", "y", "z", "cb")
    },
    **{f"{x}tics": _axis(lambda settings, axis, _: settings.tics.update({axis: None}), x) for x in "xyz"},
    "tics": lambda settings, _: settings.tics.update({"x": None, "y": None}),
    "colorbox": _nothing,
    "hidden3d": _nothing,
}


def find(table: dict[str, Change], name: str) -> Change | None:
    """The setting of a name, which may be shortened as long as it stays the only one, or is the first."""
    if name in table:
        return table[name]
    longer = [known for known in table if known.startswith(name) and len(name) >= 3]
    return table[longer[0]] if longer else None


def commands(text: str) -> list[str]:
    """The commands of a text: lines, and parts of lines between semicolons that are not in quotes."""
    found = re.findall(r"(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|\\\n|[^;\n])+", text)
    return [command.strip().replace("\\\n", " ") for command in found if command.strip()]
