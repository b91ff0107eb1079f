"""Parts of the prompt without a terminal: completion, signatures, spelling, lines that need a way back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.document import Document

from t7shell.engine.engine import Engine
from t7shell.prompt import completion


@pytest.fixture(scope="module")
def prompt() -> Engine:
    engine = Engine()
    engine.execute(
        "require 'nn' opt = {rate = 0.1, weights = {}}"
        "x = torch.rand(3, 4) big = torch.rand(400, 400) net = {weights = {1, 2}, rate = 0.1, _hidden = 1}"
        " words = {['two words'] = {deep = 1}} list = {{first = 1}}"
        " evil = setmetatable({}, {__index = function() error('called') end})"
        " class = torch.class('Shape') function class:__init(a, b) end function class:area(unit) end"
        " shape = Shape() function mine(a, b, ...) end"
    )
    return engine


def names(engine: Engine, text: str) -> list[str]:
    found = engine.helper("shell.complete")(text.encode())[1]
    return [entry[1] for entry in found.values()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.ran", ["rand", "randn", "random", "randperm", "range"]),
        ("y = x:narr", ["narrow"]),
        ("x[1]:narr", ["narrow"]),
        ("x [ 1 ] : narr", ["narrow"]),
        ("('abc'):rev", ["reverse"]),
        ("net.", ["rate", "weights"]),
        ("net._", ["_hidden"]),
        ("words['two words'].d", ["deep"]),
        ("list[1].f", ["first"]),
        ("shape:a", ["area"]),
        ("local narrow = 1 print(narr", ["narrow"]),
        ("function f(some, thing) return so", ["some"]),
        ("for i = 1, 2 do\n   best, betty = f(i)\nbe", ["best", "betty"]),
        ("t.bee = 1 if bee == 2 then be", []),
        ("function distant(a) end\nprint(dista", ["distant"]),
        ("local r = torch.LongTensor(2)\nr:clsh", ["clshift"]),
        ("r = x:long(); r = r:clone()\nr = r:clsh", ["clshift"]),
        ("for i = 1, 2 do r = net\nr.ra", ["rate"]),
        ("whi", ["while"]),
        ("evil.anything.", []),
        ("opt['", ["rate", "weights"]),
        ("opt[ \"ra", ["rate"]),
        ("words['two", ["two words"]),
        ("words['two words']['d", ["deep"]),
        ("x['", []),
        ("torch.randn(2, 3):si", ["sigmoid", "sign", "sin", "sinh", "size"]),
        ("torch.randn(2, 3):view(3, 2) : narr", ["narrow"]),
        ("(x + 1):narr", []),
        ("(x):narr", ["narrow"]),
        ("y = torch.randn(f(1, {2}), (3)):sum(1):narr", ["narrow"]),
        ("torch.randn(2, 3):sum():narr", []),
        ("torch.FloatTensor(2):narr", ["narrow"]),
        ("x:long():clsh", ["clshift"]),
        ("x:sub(1, 2):sqr", ["sqrt"]),
        ("x:long():sub(1, 2):sqr", []),
        ("torch.add(x:long(), 1):clsh", ["clshift"]),
        ("x:gt(1):clsh", ["clshift"]),
        ("('abc'):upper():rev", ["reverse"]),
        ("Shape(1, 2):a", ["area"]),
        ("nn.Linear(2, 3):updateO", ["updateOutput"]),
        ("evil(1).na", []),
        ("f().na", []),
        ("net.RA", ["rate"]),
        ("nn.linearw", ["LinearWeightNorm"]),
        ("nn.spaconvm", ["SpatialConvolutionMM", "SpatialConvolutionMap", "SpatialFullConvolutionMap"]),
        ("nn.spaconvmm", ["SpatialConvolutionMM"]),
        ("nn.convmm", ["SpatialConvolutionMM"]),
        ("nn.logsoft", ["LogSoftMax", "SpatialLogSoftMax"]),
        ("x:issamesize", ["isSameSizeAs"]),
        ("x:samesize", ["isSameSizeAs"]),
        ("mine().na", []),
        ("-- tor", []),
        ("'tor", []),
        ("a .. tor", ["torch"]),
        ("net:we", []),
    ],
)
def test_completion(prompt: Engine, text: str, expected: list[str]) -> None:
    assert names(prompt, text) == expected


@pytest.mark.parametrize("words", ["a," * 100000, "a a " * 50000, "x = 1\n" * 30000, "local a\n" * 30000])
def test_completion_of_long_inputs_takes_little_time(prompt: Engine, words: str) -> None:
    """By what grows with the square of the length it would take minutes."""
    assert names(prompt, words + "\ntorc") == ["torch"]


def test_classes_are_labelled(prompt: Engine) -> None:
    for text in ("nn.LinearW", "torch.FloatT", "Shap"):
        found = prompt.helper("shell.complete")(text.encode())[1]
        assert [entry[2] for entry in found.values()] == ["class"]


def test_methods_depend_on_the_type(prompt: Engine) -> None:
    """Bits are for integers, and square roots for the others."""
    prompt.execute("long, double = torch.LongTensor(2), torch.DoubleTensor(2)")
    assert names(prompt, "double:sqr") == ["sqrt"] and names(prompt, "long:sqr") == []
    assert names(prompt, "long:clsh") == ["clshift"] and "narrow" in names(prompt, "long:")


def test_files_and_modules(prompt: Engine, tmp_path: Path) -> None:
    (tmp_path / "data one.t7").write_text("")
    (tmp_path / "data").mkdir()
    assert names(prompt, f"torch.load('{tmp_path}/da") == ["data one.t7", "data/"]
    assert "xlua" in names(prompt, "require 'xl") and "xlua" in names(prompt, 'local x = require("xl')
    assert "torch" in names(prompt, "require [[to")


def signature(engine: Engine, text: str) -> str | None:
    return completion.signature(engine, Document(text)) or None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mine(1, ", "mine(a, b, ...)"),
        ("shape:area(", "shape:area(unit)"),
        ("Shape(", "Shape(a, b)"),
        ("print(mine(1), ", "print(...)"),
        ("print(mine(')', {1, ", "mine(a, b, ...)"),
        ("x:narrow(1, 2", "x:narrow(dim, first, count)"),
        ("if (", None),
        ("mine(1)", None),
        ("unknown(", None),
        ("-- mine(", None),
    ],
)
def test_signature(prompt: Engine, text: str, expected: str | None) -> None:
    assert signature(prompt, text) == expected


def test_signature_of_an_operation_names_its_forms(prompt: Engine) -> None:
    shown = signature(prompt, "torch.add(x, ") or ""
    assert "torch.add([res,] x, value)" in shown
    assert "x:add(value)" in (signature(prompt, "x:add(") or "")


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("narow", "narrow"),
        ("sqeeze", "squeeze"),
        ("raed", "read"),
        ("Print", "print"),
        ("xy", None),
        ("zzz", None),
    ],
)
def test_spelling(prompt: Engine, name: str, nearest: str | None) -> None:
    known: Any = prompt.lua.table_from({key: True for key in ("narrow", "squeeze", "read", "print", "xz")})
    assert prompt.helper("shell.spelling").nearest(name.encode(), known) == nearest


def test_completion_looks_at_a_limited_number_of_names(engine: Engine) -> None:
    """Each key press waits for it."""
    engine.execute("huge = {} for i = 1, 50000 do huge['key' .. i] = i end")
    engine.execute("long = {size = 3} for i = 1, 50000 do long[i] = i end")
    complete = engine.helper("shell.complete")
    try:
        for text in "huge.", "huge.k", "huge['":
            assert len(list(complete(text.encode())[1].values())) == 10000
        # Elements do not count.
        assert [entry[1] for entry in complete(b"long.")[1].values()] == ["size"]
    finally:
        engine.execute("huge, long = nil")
