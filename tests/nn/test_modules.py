"""Modules against NumPy, finite differences, and themselves."""

from __future__ import annotations

import numpy as np
import pytest

from t7shell import LuaError, Runtime

from .module_records import MODULES, Module


def arrays(lua: Runtime, expression: str) -> list[np.ndarray]:
    lua.execute(f"list = flat({expression})")
    return [np.array(lua.eval(f"list[{i + 1}]")) for i in range(int(lua.eval("#list")))]


IDS = [record.make for record in MODULES]


@pytest.mark.parametrize("module", MODULES, ids=IDS)
def test_output_is_that_of_numpy(runtime: Runtime, module: Module) -> None:
    runtime.execute(
        f"torch.manualSeed(3) m = nn.{module.make} x = {module.input}\n"
        "p = m:parameters() or {}\n"
        "for _, q in ipairs(p) do q:copy(torch.range(1, q:nElement()):mul(1.7):cos()) end\n"
        "y = m:forward(x)"
    )
    fields = {n: np.array(runtime.eval(f"m.{n}")) for n in module.fields if runtime.eval(f"m.{n} ~= nil")}
    fields |= {f"p{i + 1}": p for i, p in enumerate(arrays(runtime, "p"))}
    wanted = module.reference(fields, *arrays(runtime, "x"))
    wanted = wanted if isinstance(wanted, list) else [wanted]
    got = arrays(runtime, "y")
    assert [y.shape for y in got] == [np.shape(y) for y in wanted]
    for y, z in zip(got, wanted, strict=True):
        np.testing.assert_allclose(y, z, atol=1e-9)
    if module.sample is not None:
        runtime.execute(f"one = m:forward({module.sample})")
        np.testing.assert_allclose(arrays(runtime, "one")[0], wanted[0][0], atol=1e-9)


@pytest.mark.parametrize("module", MODULES, ids=IDS)
def test_what_holds_for_all_modules(runtime: Runtime, module: Module) -> None:
    runtime.execute(
        f"failures = checks(function() return nn.{module.make} end, {module.input}, {module.other}, "
        f"{module.wrong}, {module.options})"
    )
    assert runtime.eval("table.concat(failures, '; ')") == ""


@pytest.mark.parametrize(
    ("plain", "in_place"),
    [
        ("ReLU()", "ReLU(true)"),
        ("ELU(0.5)", "ELU(0.5, true)"),
        ("LeakyReLU(0.2)", "LeakyReLU(0.2, true)"),
        ("HardTanh()", "HardTanh(-1, 1, true)"),
        ("ReLU6()", "ReLU6(true)"),
        ("Threshold(0.5, 0.1)", "Threshold(0.5, 0.1, true)"),
        ("Dropout(0.5)", "Dropout(0.5, false, true)"),
        ("AddConstant(2)", "AddConstant(2, true)"),
        ("MulConstant(3)", "MulConstant(3, true)"),
        ("RReLU(0.1, 0.3)", "RReLU(0.1, 0.3, true)"),
    ],
)
@pytest.mark.parametrize("turn", ["", ":t()"])
def test_in_place_gives_the_same(runtime: Runtime, plain: str, in_place: str, turn: str) -> None:
    for make, into in ((plain, "a"), (in_place, "b")):
        runtime.execute(
            f"m, x, g = nn.{make}, t(4, 3){turn}, t(4, 3):cos(){turn}\n"
            "torch.manualSeed(4) y = m:forward(x)\n"
            f"{into} = {{ y:clone(), m:backward(x, g):clone() }}\n"
            "shared = y:storage() and torch.pointer(y:storage()) == torch.pointer(x:storage())"
        )
        assert runtime.eval("shared") is (into == "b")
    for i in (1, 2):
        assert runtime.eval(f"a[{i}]:eq(b[{i}]):all()")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("{{}, {1}}, {{1, 2}}", "the first part of the input must be a tensor"),
        ("{torch.ones(2), {1}}, {3}", "each part of gradOutput must be a table"),
        ("{torch.ones(2), {1}}, {{torch.ones(3), 1}}", "must be a tensor of 2 elements"),
        ("{torch.ones(2), {1}}, {{1, 1}}", "the first of each part of gradOutput must be a tensor"),
    ],
)
def test_wrong_parts_of_ZipTableOneToMany(runtime: Runtime, arguments: str, message: str) -> None:
    with pytest.raises(LuaError, match=message):
        runtime.execute(f"nn.ZipTableOneToMany():updateGradInput({arguments})")
