"""The page of the methods that reshape, query and convert tensors, from their table in the manual."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from t7shell import manual

PAGE, TITLE = "methods.md", "Views, sizes and types"
HEAD = """\
Methods that reshape, query or convert tensors. Most are also functions of `torch`: `torch.view(x, 2, 3)`.

How to read the shapes is said in the [overview](index.md).
"""
_SECTION = "Summary of methods"
_ROW = re.compile(r"\| (.+?) \| (.+) \|$")
_KEPT = "* -> *"
# In the order of the page, where neighbors belong together.
_SHAPES = {
    "narrow": "x -> x with size at dim",
    "sub": "x -> x with last - first + 1 at each dimension that is given",
    "select": "x -> x without dim",
    "view": "x -> sizes of the same product",
    "viewAs": "x, y -> the sizes of y",
    "reshape": "x -> sizes of the same product",
    "t": "n x m -> m x n",
    "transpose": "x -> x with two sizes exchanged",
    "permute": "x -> the sizes of x in the order of dims",
    "squeeze": "x -> x without its sizes of 1",
    "unsqueeze": "x -> x with a size of 1 before dim",
    "expand": "x -> sizes",
    "expandAs": "x, y -> the sizes of y",
    "repeatTensor": "x -> the sizes of x times those that are given",
    "unfold": "x -> x with floor((n - size)/step) + 1 at dim, and size last",
    "split": "x -> a table of tensors, x with at most size at dim",
    "chunk": "x -> a table of n tensors, x with at most ceil(size/n) at dim",
    "size": "x -> a LongStorage, or a number",
    "stride": "x -> a LongStorage, or a number",
    "dim": "x -> a number",
    "nElement": "x -> a number",
    "isSize": "x, a LongStorage -> a boolean",
    "isSameSizeAs": "x, y -> a boolean",
    "isContiguous": "x -> a boolean",
    "isSetTo": "x, y -> a boolean",
    "isTensor": "x -> a boolean",
    "resize": "x -> sizes",
    "resizeAs": "x, y -> the sizes of y",
    "set": "those of the source",
    "new": "those of the constructor",
    "clone": _KEPT,
    "contiguous": _KEPT,
    "storage": "x -> a storage",
    "storageOffset": "x -> a number",
    "data": "x -> a pointer",
    "cdata": "x -> a pointer",
    "free": _KEPT,
    "type": _KEPT,
    "typeAs": _KEPT,
    "byte": _KEPT,
    "fill": _KEPT,
    "zero": _KEPT,
    "apply": _KEPT,
    "map": "*, * -> *",
    "map2": "*, *, * -> *",
    "totable": "x -> tables within tables",
    "read": _KEPT,
}


# Examples of methods that the manual mentions without one.
_EXAMPLES = {
    "byte": "torch.Tensor{1.5, 300}:byte()",
    "cdata": "type(torch.ones(2):cdata())",
    "data": "torch.ones(2):data()[1]",
    "free": "x = torch.ones(2)\nx:retain()\nx:free()",
    "isContiguous": "torch.ones(2, 3):t():isContiguous()",
    "map": "torch.Tensor{1, 2}:map(torch.Tensor{3, 4}, function(a, b) return a * b end)",
    "map2": "x = torch.Tensor{1, 2}\ny = torch.ones(2)\nz = torch.ones(2)\n"
    "x:map2(y, z, function(a, b, c) return a + b * c end)",
    "totable": "torch.Tensor{{1, 2}, {3, 4}}:totable()[2][1]",
    "new": "torch.IntTensor():new(2):fill(7)",
    "read": "file = torch.MemoryFile()\ntorch.ones(2):write(file)\nfile:seek(1)\ntorch.Tensor():read(file)",
    "set": "torch.Tensor():set(torch.range(1, 4):storage(), 2, torch.LongStorage{2})",
    "split": "torch.range(1, 5):split(2, 1)[3]",
    "zero": "torch.ones(2):zero()",
}


@dataclass(frozen=True)
class Method:
    """The methods of a row of the table, which have the same description."""

    names: tuple[str, ...]
    calls: tuple[str, ...]
    text: str
    shapes: str
    source: str
    transcript: str

    @property
    def title(self) -> str:
        """The heading."""
        return ", ".join(self.names)


def methods() -> Iterator[Method]:
    """The methods in the order of the page, each with an example to run, or one with its output."""
    found = manual.load()
    chapter = found.chapter("tensor")
    assert chapter is not None
    section = next(one for one in chapter.sections if one.title == _SECTION)
    listed: dict[str, Method] = {}
    for line in section.lines:
        row = _ROW.match(line)
        calls = re.findall(r"`(x:\w+[^`]*)`", row[1]) if row else []
        if row and calls:
            names = tuple(re.match(r"x:(\w+)", call)[1] for call in calls)  # type: ignore[index]
            first = names[0]
            entry = next(one for one in found.entries(f"x:{first}") if one.section is section)
            source = _EXAMPLES.get(first, "")
            shown = "" if source else entry.example
            listed[first] = Method(names, tuple(calls), row[2], _SHAPES[first], source, shown)
    assert listed.keys() == _SHAPES.keys()
    yield from (listed[name] for name in _SHAPES)
