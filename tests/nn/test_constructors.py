"""Constructors and methods with missing or wrong arguments: the error names the class and those."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import LuaError, Runtime
from tests.runtimes import runtime_fixture

nn = runtime_fixture("require 'nn'")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("Linear()", "nn.Linear: needs inputSize, outputSize (got 0 arguments)"),
        ("Linear(3)", "nn.Linear: needs inputSize, outputSize (got 1 argument)"),
        ("Linear(nil, 3)", "nn.Linear: needs inputSize, outputSize (got nil as inputSize)"),
        ("Linear(3, nil, false)", "nn.Linear: needs inputSize, outputSize (got 1 argument)"),
        (
            "SpatialConvolution(3, 16, 5)",
            "nn.SpatialConvolution: needs nInputPlane, nOutputPlane, kW, kH (got 3 arguments)",
        ),
        (
            "SpatialConvolution(3, nil, 5, 5)",
            "nn.SpatialConvolution: needs nInputPlane, nOutputPlane, kW, kH (got nil as nOutputPlane)",
        ),
        ("LookupTable(3)", "nn.LookupTable: needs nIndex, nOutput (got 1 argument)"),
        ("Reshape()", "nn.Reshape: needs sizes (got 0 arguments)"),
        ("CMul()", "nn.CMul: needs sizes (got 0 arguments)"),
        ("Linear('x', 3)", "nn.Linear: inputSize must be a number (got 'x')"),
        ("Linear(3, 0)", "nn.Linear: outputSize must be a number of at least 1 (got 0)"),
        ("Linear(0/0, 3)", "nn.Linear: inputSize must be a number of at least 1 (got nan)"),
        ("SpatialConvolution(3, 4, 5, 5, {2})", "nn.SpatialConvolution: dW must be a number (got table {2})"),
        (
            "SpatialMaxPooling(2, 2, 2, -1)",
            "nn.SpatialMaxPooling: dH must be a number of at least 1 (got -1)",
        ),
        ("Add()", "Add: inputSize must be a number (got nil)"),
        ("CMul(2, 'x')", "CMul: size 2 must be a number (got 'x')"),
        ("CAdd(torch.ones(2))", "CAdd: size 1 must be a number (got DoubleTensor [2])"),
        ("View('x')", "View: size 1 must be a number (got 'x')"),
        ("Reshape({})", "Reshape: sizes must be given (got none)"),
        ("HardTanh('x')", "nn.HardTanh: min_val must be a number (got 'x')"),
        ("Copy('x')", "nn.Copy: intype must be the name of a type of tensors (got 'x')"),
        ("ClassNLLCriterion({1, 2})", "nn.ClassNLLCriterion: weights must be a tensor (got table {1, 2})"),
        ("NarrowTable(0/0)", "nn.NarrowTable: offset must be a whole number (got nan)"),
        ("PReLU(1/0)", "nn.PReLU: nOutputPlane must be a whole number (got inf)"),
        ("PReLU(0/0)", "nn.PReLU: nOutputPlane must be a whole number (got nan)"),
        ("SpatialZeroPadding(1/0)", "SpatialZeroPadding: pad_l must be a whole number (got inf)"),
        ("Tanh():write(3)", "Tanh: file must be a torch.File (got 3)"),
        ("Tanh():read({})", "Tanh: file must be a torch.File (got table {})"),
        ("CrossEntropyCriterion():read('x')", "CrossEntropyCriterion: file must be a torch.File (got 'x')"),
        ("CriterionTable(3)", "nn.CriterionTable: criterion must be a module (got 3)"),
        (
            "SpatialConvolutionMap(torch.Tensor{{0, 1}}, 3, 3)",
            "SpatialConvolutionMap: conMatrix must be rows of an input and an output plane "
            "(got DoubleTensor [1x2])",
        ),
    ],
)
def test_errors(nn: Runtime, tmp_path: Path, call: str, message: str) -> None:
    script = tmp_path / "net.lua"
    script.write_text(f"local x = 1\nlocal net = nn.{call}\n")
    with pytest.raises(LuaError) as caught:
        nn.execute(f"dofile('{script}')")
    assert str(caught.value).splitlines()[0].endswith(f"net.lua:2: {message}")


@pytest.mark.parametrize(
    "call", ["Linear('3', '2')", "SpatialMaxPooling(2, 2, nil, false)", "HardTanh(nil, 2)", "Add(2, true)"]
)
def test_defaults_and_numbers_in_strings(nn: Runtime, call: str) -> None:
    assert nn.eval(f"torch.isTypeOf(nn.{call}, 'nn.Module')")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("net:apply()", "Sequential: callback must be a function (got nil)"),
        ("net:replace('x')", "Sequential: callback must be a function (got 'x')"),
        ("net:updateParameters()", "Linear(4 -> 3): learningRate must be a number (got nil)"),
        ("net:get(1):backwardUpdate(x, y)", "Linear(4 -> 3): lr must be a number (got nil)"),
        ("net:reset('x')", "Linear(4 -> 3): stdv must be a number (got 'x')"),
        ("net:insert(nn.Tanh(), 'x')", "Sequential: index must be a number (got 'x')"),
        ("net:insert(3)", "Sequential: insert: argument 1 must be a module (got 3)"),
        ("nn.Sequential():remove()", "Sequential: remove: the container has no modules"),
        ("nn.SpatialMaxUnpooling(3)", "nn.SpatialMaxUnpooling: poolingModule must be a module (got 3)"),
        (
            "nn.SpatialMaxUnpooling(net)",
            "nn.SpatialMaxUnpooling: poolingModule must be an nn.SpatialMaxPooling (got nn.Sequential)",
        ),
        ("nn.Decorator(3)", "nn.Decorator: argument 1 must be a module (got 3)"),
        (
            "net:type('x')",
            "type: argument 1 must be the name of a tensor type such as 'torch.FloatTensor' (got 'x')",
        ),
        ("net:remove({})", "Sequential: index must be a number (got table {})"),
        ("net:share(1, 'weight')", "Sequential: modules of the other one must be a table (got false)"),
        ("net:get(1):share(nil, 'weight')", "Linear(4 -> 3): other must be a module (got nil)"),
        ("net:type(3)", "Sequential: type must be a string (got 3)"),
        ("net:float(3)", "Sequential: cache must be a table (got 3)"),
        ("nn.MSECriterion():type()", "MSECriterion: type must be a string (got nil)"),
        (
            "nn.utils.addSingletonDimension(3)",
            "addSingletonDimension: the argument must be a tensor (got 3)",
        ),
        (
            "nn.MaskedSelect():backward({x, x:byte()})",
            "MaskedSelect: gradOutput must be a torch.DoubleTensor (got nil)",
        ),
        (
            "local l = nn.LookupTable(3, 2) l.weight = l.weight:int() l:forward(torch.Tensor{1})",
            "LookupTable: weight must be a DoubleTensor or FloatTensor (got IntTensor [3x2])",
        ),
        ("nn.utils.contiguousView(x)", "contiguousView: the input must be a tensor (got nil)"),
        ("nn.utils.recursiveFill(x, 'x')", "recursiveFill: the value must be a number (got 'x')"),
        ("nn.tables.random(3, 'x', 2)", "nn.tables.random: nout must be a number (got 'x')"),
    ],
)
def test_errors_of_methods(nn: Runtime, call: str, message: str) -> None:
    nn.execute("net = nn.Sequential():add(nn.Linear(4, 3)) x = torch.ones(2, 4) y = net:forward(x)")
    with pytest.raises(LuaError) as caught:
        nn.execute(call)
    assert str(caught.value).splitlines()[0].endswith(f": {message}")


def test_the_constructor_keeps_its_parameters(nn: Runtime) -> None:
    names = nn.eval("table.concat(require('shell.sources').parameters(nn.Linear.__init), ' ')")
    assert names == "self inputSize outputSize bias"


def test_subclasses_call_it(nn: Runtime) -> None:
    nn.execute("""
        local Own, parent = torch.class('OwnLinear', 'nn.Linear')
        function Own:__init(size) parent.__init(self, size, size, false) end
        own = OwnLinear(4)
    """)
    assert nn.eval("own.weight:size(2)") == 4 and nn.eval("own.bias") is None
    with pytest.raises(LuaError, match=r"nn\.Linear: needs inputSize, outputSize \(got 0 arguments\)"):
        nn.execute("OwnLinear()")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "nn.Linear.forward(nil, 3)",
            "forward: self must be an object (got nil); x:forward(...) calls the method",
        ),
        (
            "net.forward(torch.ones(2))",
            "forward: self must be an object (got DoubleTensor [2]); x:forward(...) calls the method",
        ),
        (
            "nn.Linear.updateOutput(3, torch.ones(2))",
            "updateOutput: self must be an object (got 3); x:updateOutput(...) calls the method",
        ),
        (
            "nn.MSECriterion().forward({}, 4)",
            "forward: self must be an object (got table {}); x:forward(...) calls the method",
        ),
    ],
)
def test_a_method_without_its_object(nn: Runtime, call: str, message: str) -> None:
    with pytest.raises(LuaError) as caught:
        nn.execute(f"local net = nn.Linear(2, 2)\nlocal y = {call}", "@net.lua")
    assert caught.value.message == "net.lua:2: " + message
    # Lua leaves no line of a call in the place of its caller, and names the function as the caller.
    with pytest.raises(LuaError, match="forward: self must be an object"):
        nn.execute("return nn.Linear.forward(nil, 3)")
    with pytest.raises(LuaError, match="forward: self must be an object"):
        nn.execute("local function step() return nn.Linear.forward(nil, 3) end\nlocal y = step()")


@pytest.mark.parametrize("tests", ["Jacobian", "SparseJacobian"])
@pytest.mark.parametrize("name", ["forward", "backward", "testJacobian", "testIO"])
def test_finite_differences_are_given_a_module_and_an_input(nn: Runtime, tests: str, name: str) -> None:
    with pytest.raises(LuaError, match=rf"{name}: argument 1 must be a module \(got nil\)"):
        nn.execute(f"nn.{tests}.{name}()")
    with pytest.raises(LuaError, match=rf"{name}: argument 2 must be a tensor or a table \(got 3\)"):
        nn.execute(f"nn.{tests}.{name}(nn.Tanh(), 3)")


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("ELU(1, 1)", "inplace"),
        ("HardTanh(-1, 1, 0)", "inplace"),
        ("ReLU(1)", "inplace"),
        ("ReLU6('a')", "inplace"),
        ("Threshold(0, 0, 1)", "inplace"),
        ("CReLU(1, 1)", "inplace"),
        ("LeakyReLU(0.1, 'a')", "inplace"),
        ("AddConstant(2, 1)", "ip"),
        ("MulConstant(2, 0)", "ip"),
        ("MV(1)", "trans"),
        ("Sum(1, 2, nil, 1)", "squeeze"),
        ("SparseLinear(2, 2, 1)", "doGradInput"),
    ],
)
def test_flags(nn: Runtime, call: str, name: str) -> None:
    """Where the original has no value but true and false."""
    with pytest.raises(LuaError, match=f"{name} must be true or false \\(got "):
        nn.execute(f"nn.{call}")


def test_numbers_as_flags(nn: Runtime) -> None:
    """The original passes the one of LeakyReLU to C."""
    nn.execute("x, y = torch.Tensor{-2}, torch.Tensor{-2}")
    nn.execute("nn.LeakyReLU(0.5, 0):forward(x) nn.LeakyReLU(0.5, 1):forward(y)")
    assert (nn.eval("x[1]"), nn.eval("y[1]")) == (-2, -1)
