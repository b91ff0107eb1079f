"""The dialect th: names that the last Torch7 had not are absent, as its own list of names says."""

from __future__ import annotations

import pytest

from t7shell.engine.engine import Engine

ADDED = ["alignAs", "alignTo", "arange", "flatten", "full", "item", "lgamma", "names", "refineNames"]
ADDED += ["rename", "setNames", "shape", "stack", "unsqueeze", "where"]


def value(engine: Engine, source: str) -> object:
    result = engine.execute(source)
    assert result.ok, result.report()
    return result.values[0]


@pytest.mark.parametrize("name", ADDED)
def test_an_addition_is_no_method(name: str) -> None:
    engine = Engine("th")
    ask = f"return torch.rand(2).{name} == nil and torch.getmetatable('torch.FloatTensor').{name} == nil"
    assert value(engine, ask) is True
    assert value(engine, f"torch.dialect 't7' return torch.rand(2).{name} ~= nil") is True
    assert value(engine, f"torch.dialect 'th' return torch.rand(2).{name} == nil") is True


@pytest.mark.parametrize("name", ["einsum", "flatten", "stack", "unsqueeze", "where"])
def test_an_addition_is_no_function(name: str) -> None:
    engine = Engine("th")
    assert value(engine, f"return torch.{name}") is None
    assert value(engine, f"torch.dialect 't7' return type(torch.{name})") in ("function", b"function")


def test_half_tensors_have_the_methods_they_had() -> None:
    engine = Engine("th")
    assert value(engine, "local h = torch.HalfTensor(2) return not (h.mul or h.apply or h.sort)") is True
    assert value(engine, "return torch.HalfTensor(2):fill(3):add(1):max()") == 4
    assert value(engine, "return torch.HalfTensor(2):fill(3):float():mul(2):sum()") == 12
    assert value(Engine(), "return torch.HalfTensor(2):fill(3):mul(2):sum()") == 12


@pytest.mark.parametrize(
    "work", ["h * 2", "2 - h", "h + h", "-h", "torch.mul(h, 2)", "torch.zeros(2)", "torch.sum(h)"]
)
def test_half_tensors_have_no_arithmetic(work: str) -> None:
    half = "torch.setdefaulttensortype 'torch.HalfTensor' local h = torch.HalfTensor(2):fill(3) "
    asks = f"return not pcall(function() return {work} end) and h.__mul == nil and h.__mul__ == nil"
    assert value(Engine("th"), half + asks) is True
    tried = f"return (pcall(function() return {work} end))"
    assert value(Engine("th"), f"{half} torch.dialect 't7' {tried}") is True


def test_methods_that_a_program_defines_stay() -> None:
    engine = Engine("th")
    source = "torch.DoubleTensor.flatten = function() return 'own' end torch.dialect 't7'"
    assert value(engine, source + " return torch.rand(2):flatten()") in ("own", b"own")
