"""Writes the reference of the manual, a page per chapter of operations or of classes of nn:
`python -m t7shell.cli.reference`.

The pages are made from the rows in `ops` and the examples in `examples` of each package in `lua`, and from
the rows of classes in `lua/nn`. The examples run here, and the pages show their output.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.host import encoding

WIDTH = 120
_PLACE = re.compile(r"^stdin:\d+: ")

_INDEX = """\
# Reference of the operations

One page for each chapter; `?name` at the prompt shows the same. `python -m t7shell.cli.reference` makes the
pages from the rows in `ops` and the examples in `examples` of each package, and from the rows of classes
in nn.

In the forms of arguments `[ ]` marks optional arguments, and `n=100` gives the default. `res` is a
tensor for the result, and `torch.f(res, x)` can be written `res:f(x)` too. A method marked *in place*
changes its tensor; as a function the same operation makes a new one.

A call is for the type of its tensors. Where there are none it is for the default type, or for the one that a
last argument names: `torch.eye(2, 'torch.IntTensor')`. HalfTensors are computed as FloatTensors.

"""

_CLASSES = """\
An input `x` has an output `y`, and a criterion a loss of an input `x` and a target `t`. In shapes `B` is the
size of a batch, and `[B x]` a batch that may be left out; `*` stands for any sizes, the same ones throughout;
`{a, b}` is a table, and `{a, ...}` one of any length; `n of 1..c` are indices from 1 to c. Other names are
arguments, or any sizes.
"""


def pages() -> dict[str, str]:
    """The pages, by the names of their files: those of a package other than torch are in a folder."""
    engine = Engine()
    for name in _packages(engine):
        engine.helper(name)
    reference = engine.helper("torch.dispatch.reference")
    made = {}
    index = [_INDEX]
    for package in reference.packages.values():
        folder = encoding.from_lua(package.name)
        place = "" if folder == "torch" else f"{folder}/"
        index.append(f"## {folder}\n\n| chapter | operations |\n|---|---|\n")
        for row in package.chapters.values():
            name, title, about = (encoding.from_lua(row[i]) for i in (1, 2, 3))
            keys = list(reference.names(package, name).values())
            made[f"{place}{name}.md"] = _page(folder, keys, title, about)
            listed = " ".join(f"`{encoding.from_lua(key)}`" for key in keys)
            index.append(f"| [{title}]({place}{name}.md) | {listed} |\n")
        index.append("\n")
    index.append("## Classes of nn\n\n| chapter | classes |\n|---|---|\n")
    for name, title, page, classes in _class_pages():
        made[f"{name}.md"] = page
        listed = " ".join(f"`{one}`" for one in classes)
        index.append(f"| [{title}]({name}.md) | {listed} |\n")
    made["index.md"] = "".join(index).rstrip("\n") + "\n"
    return made


def _packages(engine: Engine) -> list[str]:
    """The packages that have rows, torch first."""
    found = sorted(path.parent.parent.name for path in Path(engine.directory).glob("**/ops/chapters.lua"))
    return sorted(found, key=lambda name: name != "torch")


def _page(package: str, keys: list[Any], title: str, about: str) -> str:
    engine = Engine()
    engine.helper(package)
    reference = engine.helper("torch.dispatch.reference")
    overview = "index.md" if package == "torch" else "../index.md"
    parts = [f"# {title}\n\n{_filled(about)}\n\n"]
    parts.append(f"The [overview]({overview}) explains how to read the signatures.\n")
    for key in keys:
        name = encoding.from_lua(key)
        doc = _filled(_literal(encoding.from_lua(reference.doc(key))))
        parts.append(f"\n## {name}\n\n{_forms(reference, key)}\n{doc}\n")
        types = reference.types(key)
        if types:
            parts.append(f"\nElement types: {encoding.from_lua(types)}.\n")
        example = reference.example(key)
        if example:
            shown = "".join(_transcript(engine, encoding.from_lua(example)))
            parts.append(f"\n```\n{shown}```\n")
    return "".join(parts)


def _class_pages() -> Iterator[tuple[str, str, str, list[str]]]:
    """The pages of the classes of nn: name, title, text and the names of the classes."""
    engine = Engine()
    engine.execute("require 'nn'")
    reference = engine.helper("nn.reference")
    for chapter in reference.chapters().values():
        name, title = encoding.from_lua(chapter[1]), encoding.from_lua(chapter[2])
        classes = [encoding.from_lua(one) for one in chapter[3].values()]
        parts = [f"# Classes: {title.lower()}\n\n{_CLASSES}\n```\nt7> require 'nn'\n```\n"]
        parts += [_class(engine, reference, one) for one in classes]
        yield f"nn_{name}", title, "".join(parts), [one.partition(".")[2] for one in classes]


def _class(engine: Engine, reference: Any, name: str) -> str:
    """The section of a class: its constructor, formula, arguments, shapes and an example."""
    record = reference["of"](name.encode())
    field = {key: encoding.from_lua(record[key]) for key in ("usage", "summary", "shapes", "example")}
    more = {key: encoding.from_lua(record[key]) for key in ("formula", "where", "parameters") if record[key]}
    parts = [f"\n## `{field['usage']}`\n\n{_filled(_literal(field['summary']))}\n"]
    if "formula" in more:
        parts.append(f"\n    {more['formula']}\n")
    rows = [[encoding.from_lua(one[i]) for i in (1, 4)] for one in record["arguments"].values()]
    parts += ["\n"] * bool(rows) + [f"- `{argument}`: {_literal(meaning)}\n" for argument, meaning in rows]
    where = f" with `{more['where']}`" if "where" in more else ""
    parts.append(f"\nShapes: `{field['shapes']}`{where}\n")
    if "parameters" in more:
        parts.append(f"\nParameters: `{more['parameters']}`\n")
    parts.append(f"\n```\n{''.join(_transcript(engine, field['example']))}```\n")
    return "".join(parts)


def _forms(reference: Any, key: Any) -> str:
    lines = ["| function | method |\n|---|---|\n"]
    for form in reference.forms(key).values():
        function, method = (f"`{encoding.from_lua(form[i])}`" if form[i] else "" for i in (1, 2))
        lines.append(f"| {function} | {method}{', in place' if form[3] else ''} |\n")
    return "".join(lines)


def _transcript(engine: Engine, example: str) -> Iterator[str]:
    """The lines of an example with their prompts, each followed by its output."""
    for line in example.splitlines():
        yield f"t7> {line}\n"
        printed, result = engine.run_captured(line)
        if result.status is not Status.OK:
            printed += "[1]:1: " + _PLACE.sub("", result.message)
        for out in printed.strip("\n").splitlines():
            yield out.rstrip() + "\n"


def _literal(sentence: str) -> str:
    """Text in which Markdown would take some characters for its own."""
    return re.sub(r"([*_\[\]<>])", r"\\\1", sentence)


def _filled(sentence: str) -> str:
    return textwrap.fill(sentence, WIDTH, break_long_words=False, break_on_hyphens=False)


def write(folder: Path) -> None:
    """Writes the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in pages().items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
