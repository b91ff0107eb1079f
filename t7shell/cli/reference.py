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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from t7shell import manual
from t7shell.cli import reference_methods
from t7shell.cli.see_also import Entry, SeeAlso
from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.host import encoding

WIDTH = 120
_PLACE = re.compile(r"^stdin:\d+: ")

_INDEX = """\
# Reference

Each operation of tensors and each class of `nn`: how it is called, the shapes of what it takes and gives,
an example, and what to see beside it. At the prompt `?torch.add` or `?nn.Linear` shows the same, and in a
terminal `t7 help torch.add`. The chapters on [tensors](../tensor.md) and on
[neural networks](../nn/index.md) explain how they are used.

In signatures `[ ]` marks optional arguments, and `n=100` gives the default. `res` is a
tensor for the result, and `torch.f(res, x)` can be written `res:f(x)` too. A method marked *in place*
changes its tensor; as a function the same operation makes a new one.

A call is for the type of its tensors. Where there are none it is for the default type, or for the one that a
last argument names: `torch.eye(2, 'torch.IntTensor')`. HalfTensors are computed as FloatTensors.

In shapes `*` stands for any sizes, the same ones throughout, `b x n x m` for those of three dimensions, and
`x without dim` for the sizes of x with 1 at the dimension `dim`, or none if `keepdim` is false. A result
that is given is resized.

"""

# The chapters of the manual that explain the operations or classes of a page.
_EXPLAINED = {
    "construct": "tensor.md#construction",
    "arithmetic": "tensor.md#operators",
    "math": "tensor.md#element-wise-functions",
    "compare": "tensor.md#selection-by-mask",
    "pick": "tensor.md#selection-by-index",
    "names": "names.md",
    "matrix": "einsum.md",
    "methods": "tensor.md#views",
    "nn_containers": "nn/containers.md",
    "nn_simple": "nn/simple.md",
    "nn_tables": "nn/tables.md",
    "nn_transfer": "nn/transfer.md",
    "nn_convolution": "nn/convolution.md",
    "nn_pooling": "nn/convolution.md",
    "nn_normalization": "nn/convolution.md",
    "nn_criterions": "nn/criterions.md",
    "nn_tools": "nn/tools.md",
    "nn_module": "nn/module.md",
}

_CLASSES = """\
An input `x` has an output `y`, and a criterion a loss of an input `x` and a target `t`. In shapes `B` is the
size of a batch, and `[B x]` a batch that may be left out; `*` stands for any sizes, the same ones throughout;
`{a, b}` is a table, and `{a, ...}` one of any length; `n of 1..c` are indices from 1 to c. Other names are
arguments, or any sizes.
"""


@dataclass
class _Page:
    """A page: its file, title, beginning, and sections: a heading, its sentence, and the text below it."""

    file: str
    title: str
    head: str
    sections: list[tuple[str, str, str]]

    @property
    def explained(self) -> str:
        """The sentence that leads to the chapter of the manual that goes with it, or ''."""
        chapter = _EXPLAINED.get(self.file.removesuffix(".md"))
        return f"\nThe chapter [{_title(chapter)}](../{chapter}) says how they are used.\n" if chapter else ""

    @property
    def listed(self) -> str:
        """Its row in the index."""
        entries = (Entry(self.file, title, "") for title, _, _ in self.sections)
        names = " ".join(f"[`{one.title.removeprefix('nn.')}`]({self.file}#{one.anchor})" for one in entries)
        return f"| [{self.title}]({self.file}) | {names} |\n"


def pages() -> dict[str, str]:
    """The pages, by the names of their files: those of a package other than torch are in a folder."""
    engine = Engine()
    for name in _packages(engine):
        engine.helper(name)
    reference = engine.helper("torch.dispatch.reference")
    index, found = [_INDEX], list[_Page]()
    for package in reference.packages.values():
        folder = encoding.from_lua(package.name)
        index.append(f"## {folder}\n\n| chapter | operations |\n|---|---|\n")
        own = [_operations(reference, package, folder, row) for row in package.chapters.values()]
        own += [_methods_page()] if folder == "torch" else []
        found += own
        index += [page.listed for page in own] + ["\n"]
    index.append("## Classes of nn\n\n| chapter | classes |\n|---|---|\n")
    classes = list(_class_pages())
    found += classes
    index += [page.listed for page in classes]
    see = SeeAlso([Entry(page.file, *section[:2]) for page in found for section in page.sections])
    made = {page.file: _text(page, see) for page in found}
    made["index.md"] = "".join(index).rstrip("\n") + "\n"
    return made


def _text(page: _Page, see: SeeAlso) -> str:
    sections = (f"\n## {title}\n\n{text}\nSee also: {see.links(title)}\n" for title, _, text in page.sections)
    return f"# {page.title}\n\n{page.head}{page.explained}{''.join(sections)}"


def _title(chapter: str) -> str:
    found = manual.load().chapter(chapter.partition("#")[0])
    assert found is not None
    return found.title


def _packages(engine: Engine) -> list[str]:
    """The packages that have rows, torch first."""
    found = sorted(path.parent.parent.name for path in Path(engine.directory).glob("**/ops/chapters.lua"))
    return sorted(found, key=lambda name: name != "torch")


def _operations(reference: Any, package: Any, folder: str, row: Any) -> _Page:
    """The page of a chapter of operations."""
    name, title, about = (encoding.from_lua(row[i]) for i in (1, 2, 3))
    overview, place = ("index.md", "") if folder == "torch" else ("../index.md", f"{folder}/")
    head = f"{_filled(about)}\n\nThe [overview]({overview}) explains how to read the signatures and shapes.\n"
    page = _Page(f"{place}{name}.md", title, head, [])
    keys = list(reference.names(package, name).values())
    engine = Engine()
    engine.helper(folder)
    shapes = engine.helper("torch.dispatch.reference_shapes")
    reference = engine.helper("torch.dispatch.reference")
    for key in keys:
        doc = encoding.from_lua(reference.doc(key))
        types, example, shape = reference.types(key), reference.example(key), shapes.of(key)
        facts = [f"Shapes: `{encoding.from_lua(shape)}`"] if shape else []
        facts += [f"Element types: {encoding.from_lua(types)}."] if types else []
        text = "".join(f"\n{fact}\n" for fact in facts)
        if example:
            text += f"\n```\n{''.join(_transcript(engine, encoding.from_lua(example)))}```\n"
        text = f"{_forms(reference, key)}\n{_filled(_literal(doc))}\n{text}"
        page.sections.append((encoding.from_lua(key), doc, text))
    return page


def _methods_page() -> _Page:
    """The page of the methods that the chapter on tensors lists."""
    page = _Page(reference_methods.PAGE, reference_methods.TITLE, reference_methods.HEAD, [])
    engine = Engine()
    for one in reference_methods.methods():
        calls = "".join(f"| `{call}` |\n" for call in one.calls)
        example = "".join(_transcript(engine, one.source)) or one.transcript + "\n"
        text = f"| method |\n|---|\n{calls}\n{one.text[0].upper()}{one.text[1:]}.\n\nShapes: `{one.shapes}`\n"
        page.sections.append((one.title, one.text, f"{text}\n```\n{example}```\n"))
    return page


def _class_pages() -> Iterator[_Page]:
    """The pages of the classes of nn."""
    engine = Engine()
    engine.execute("require 'nn'")
    reference = engine.helper("nn.class.reference")
    for chapter in reference.chapters().values():
        name, title = encoding.from_lua(chapter[1]), encoding.from_lua(chapter[2])
        page = _Page(f"nn_{name}.md", title, f"{_CLASSES}\n```\nt7> require 'nn'\n```\n", [])
        for key in chapter[3].values():
            one = encoding.from_lua(key)
            page.sections.append((one, *_class(engine, reference, one)))
        yield page


def _class(engine: Engine, reference: Any, name: str) -> tuple[str, str]:
    """The sentence of a class, and its section: constructor, formula, arguments, shapes and an example."""
    record = reference["of"](name.encode())
    field = {key: encoding.from_lua(record[key]) for key in ("usage", "summary", "shapes", "example")}
    more = {key: encoding.from_lua(record[key]) for key in ("formula", "where", "parameters") if record[key]}
    parts = [f"    {field['usage']}\n\n{_filled(_literal(field['summary']))}\n"]
    if "formula" in more:
        parts.append(f"\n    {more['formula']}\n")
    rows = [[encoding.from_lua(one[i]) for i in (1, 4)] for one in record["arguments"].values()]
    parts += ["\n"] * bool(rows) + [f"- `{argument}`: {_literal(meaning)}\n" for argument, meaning in rows]
    where = f" with `{more['where']}`" if "where" in more else ""
    parts.append(f"\nShapes: `{field['shapes']}`{where}\n")
    if "parameters" in more:
        parts.append(f"\nParameters: `{more['parameters']}`\n")
    parts.append(f"\n```\n{''.join(_transcript(engine, field['example']))}```\n")
    return field["summary"], "".join(parts)


def _forms(reference: Any, key: Any) -> str:
    """The table of the forms of an operation; without the column of functions if it has only methods."""
    forms = list(reference.signatures(key).values())
    columns = {1: "function", 2: "method"} if any(signature[1] for signature in forms) else {2: "method"}
    lines = [columns.values(), ["---"] * len(columns)]
    for signature in forms:
        cells = {at: f"`{encoding.from_lua(signature[at])}`" if signature[at] else "" for at in columns}
        cells[2] += ", in place" if signature[3] else ""
        lines.append(cells.values())
    return "".join(f"| {' | '.join(cells)} |\n".replace(" --- ", "---") for cells in lines)


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
