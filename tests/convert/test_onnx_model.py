"""`t7 convert net.t7 net.onnx`, and nn.exportONNX: options, errors, and files that are left."""

from __future__ import annotations

import re
import sys

import numpy as np
import pytest

from t7shell import t7file
from t7shell.convert import ConvertError, Options, comparison, onnx_messages, onnx_model
from t7shell.convert.command import main
from t7shell.convert.comparison import compare
from t7shell.convert.network import trace
from t7shell.t7file import Object
from tests.convert.networks import LENET

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


@pytest.fixture
def lenet(save_network, tmp_path):
    path = tmp_path / "lenet.t7"
    save_network(LENET, path)
    return path


def test_command_prints_the_difference(lenet, tmp_path, capfd):
    target = tmp_path / "net.onnx"
    assert main([str(lenet), str(target), "--input", "1x1x32x32"]) == 0
    line = capfd.readouterr().out
    found = re.fullmatch(
        r"(.*): 11 operators, (\d+) bytes; largest difference from t7: (\S+) absolute, (\S+) relative\n", line
    )
    assert found, line
    assert (found[1], int(found[2])) == (str(target), target.stat().st_size)
    assert 0 < float(found[4]) < 1e-5
    model = onnx.load(str(target))
    assert [node.op_type for node in model.graph.node][:3] == ["Conv", "Tanh", "MaxPool"]


def test_half(lenet, tmp_path, capfd):
    target = tmp_path / "net.onnx"
    assert main([str(lenet), str(target), "--input=1x1x32x32", "--half"]) == 0
    model = onnx.load(str(target))
    types = {tensor.data_type for tensor in model.graph.initializer if tensor.name.endswith("weight")}
    assert types == {onnx.TensorProto.FLOAT16}
    assert 51902 * 2 < target.stat().st_size < 51902 * 2.1


def test_input_of_vectors_is_inferred(save_network, tmp_path):
    path, target = tmp_path / "net.t7", tmp_path / "net.onnx"
    save_network("nn.Sequential():add(nn.Dropout()):add(nn.Linear(7, 2))", path)
    onnx_model.write(str(path), str(target), Options())
    sizes = onnx.load(str(target)).graph.input[0].type.tensor_type.shape.dim
    assert (sizes[0].dim_param, sizes[1].dim_value) == ("batch", 7)


@pytest.mark.parametrize(
    ("make", "shape", "message"),
    [
        (
            LENET,
            (),
            "the size of the input cannot be inferred; give it with --input, such as --input 1x1x224x224",
        ),
        (LENET, (1, 3, 32, 32), "1: nn.SpatialConvolution: sizes do not fit"),
        (LENET, (1, 1, 8, 8), "3: nn.SpatialMaxPooling|4: nn.SpatialConvolution|6: nn.SpatialMaxPooling"),
        (
            "nn.Sequential():add(nn.Concat(1):add(nn.Tanh())"
            ":add(nn.SpatialFractionalMaxPooling(2, 2, 3, 3)))",
            (1, 3),
            r"^1\.2: nn.SpatialFractionalMaxPooling: draws random numbers$",
        ),
        ("nn.View(2, 3)", (2, 3, 4, 5), None),
        ("nn.SeqLSTM(4, 3):remember('both')", (2, 1, 4), "nn.SeqLSTM: a state that lasts from one call to"),
        ("nn.Sequencer(nn.Linear(4, 3))", (2, 1, 4), "nn.Sequencer: keeps a state from step to step"),
        ("nn.Reshape(3, 2, 2, false)", (2, 5), "nn.Reshape: sizes do not fit"),
        ("nn.Select(1, 2)", (2, 6), None),
        ("nn.Replicate(3, 1)", (2, 6), None),
    ],
)
def test_what_cannot_be_converted_is_named(save_network, tmp_path, make, shape, message):
    path, target = tmp_path / "net.t7", tmp_path / "net.onnx"
    save_network(make, path)
    options = Options((shape,) if shape else ())
    if message is None:
        onnx_model.write(str(path), str(target), options)
        return
    with pytest.raises(ConvertError, match=message):
        onnx_model.write(str(path), str(target), options)
    assert not target.exists()


def test_sizes_are_fixed_where_no_batch_fits(save_network, tmp_path, capfd):
    path, target = tmp_path / "net.t7", tmp_path / "net.onnx"
    save_network(
        "nn.Sequential():add(nn.SpatialConvolution(3, 2, 3, 3)):add(nn.View(32)):add(nn.Linear(32, 4))", path
    )
    assert main([str(path), str(target), "--input", "3x6x6"]) == 0
    assert "; all sizes are fixed (1: nn.SpatialConvolution: sizes do not fit" in capfd.readouterr().out
    model = onnx.load(str(target))
    sizes = [
        [d.dim_value for d in x.type.tensor_type.shape.dim] for x in [*model.graph.input, *model.graph.output]
    ]
    assert sizes == [[3, 6, 6], [4]]


def test_libraries_are_named_where_they_are_missing(lenet, tmp_path, monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert main([str(lenet), str(tmp_path / "net.onnx"), "--input", "1x1x32x32"]) == 1
    assert capfd.readouterr().err == f"t7 convert: {onnx_messages.MISSING}\n"
    assert sorted(tmp_path.iterdir()) == [lenet]


def test_modules_of_other_packages(save_network, tmp_path, capfd):
    path, target = tmp_path / "net.t7", tmp_path / "net.onnx"
    for make in (
        "(function() require 'cunn' return nn.DataParallelTable(1):add(nn.Linear(3, 2), 1) end)()",
        "(function() require 'cunn' return nn.DataParallel(1):add(nn.Linear(3, 2), 1) end)()",
        "(function() local m = nn.Convert('bft', 'btf') m:forward(torch.zeros(2, 3, 4)) return m end)()",
        "nn.Sequential():add(nn.PrintSize()):add(nn.Linear(3, 2))",
    ):
        save_network(make, path)
        # Raises an error if the outputs differ from those of t7.
        onnx_model.write(str(path), str(target), Options(((1, 3, 4) if "bft" in make else (1, 3),)))
        assert target.exists()
        target.unlink()


def test_a_difference_leaves_no_file(lenet, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(
        onnx_model, "outputs_of", lambda *given: [y + 0.01 for y in comparison.outputs_of(*given)]
    )
    target = tmp_path / "net.onnx"
    assert main([str(lenet), str(target), "--input", "1x1x32x32"]) == 1
    assert "largest difference from t7: 1.0e-02 absolute" in capfd.readouterr().err
    assert sorted(tmp_path.iterdir()) == [lenet]


def test_a_file_that_was_there_stays(lenet, tmp_path, capfd):
    target = tmp_path / "net.onnx"
    target.write_text("kept")
    assert main([str(lenet), str(target), "--input", "1x1x9x9"]) == 1
    assert target.read_text() == "kept"


@pytest.mark.slow
def test_damaged_files(lenet, tmp_path, capfd):
    data = lenet.read_bytes()
    target = tmp_path / "net.onnx"
    random = np.random.default_rng(3)
    for i in range(60):
        if i % 2:
            damaged = data[: random.integers(0, len(data))]
        else:
            damaged = bytearray(data[:4000])
            damaged[random.integers(0, 4000)] ^= int(random.integers(1, 256))
            damaged = bytes(damaged) + data[4000:]
        path = tmp_path / "bad.t7"
        path.write_bytes(damaged)
        status = main([str(path), str(target), "--input", "1x1x32x32"])
        captured = capfd.readouterr()
        if status == 0:
            target.unlink()
            continue
        assert status == 1
        assert captured.err.count("\n") == 1, captured.err
        assert captured.err.startswith("t7 convert: ")
        assert not target.exists()
        assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.t7", "lenet.t7"]


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (3, "expected a network"),
        (Object("nn.Linear", {}), "field 'weight' is missing"),
        (Object("nn.Linear", {"weight": "text"}), "field 'weight' must be a tensor"),
        (Object("nn.Sequential", {"modules": [1]}), "field 'modules' must be a table of modules"),
        (
            Object("nn.Sequential", {"modules": [Object("os.Thing")]}),
            "1: os.Thing: no conversion of this class is known",
        ),
        (Object("nn.MulConstant", {"constant_scalar": "__import__('os')"}), "could not convert"),
        (Object("nn.View", {"size": np.array([10**9, 10**9])}), "sizes do not fit|size"),
        (Object("nn.Replicate", {"nfeatures": "a"}), "nn.Replicate"),
        (Object("nn.gModule", {"modules": []}), "nn.gModule"),
        (Object("nn.Linear", []), "expected fields"),
    ],
)
def test_hostile_networks(network, message):
    with pytest.raises(ConvertError, match=message):
        trace(network, [(1, 6)])


@pytest.mark.slow
def test_networks_that_grow_without_end():
    twice = Object("nn.Identity", {})
    for _ in range(40):
        twice = Object("nn.ConcatTable", {"modules": [twice, twice]})
    with pytest.raises(ConvertError, match="more than 200000 modules"):
        trace(twice, [(1, 6)])
    wide = [Object("nn.Replicate", {"nfeatures": 10**9, "dim": 2}), Object("nn.SplitTable", {"dimension": 2})]
    with pytest.raises(ConvertError, match=r"1: nn\.Replicate: a tensor of"):
        trace(Object("nn.Sequential", {"modules": wide}), [(1, 6)])


def test_network_in_a_table(lua, tmp_path):
    path, target = tmp_path / "net.t7", tmp_path / "net.onnx"
    net = "nn.Sequential():add(nn.Linear(3, 2))"
    lua(f"require 'nn' torch.save('{path}', {{ model = {net}, epoch = 3, optimizer = {{ lr = 1 }} }})")
    onnx_model.write(str(path), str(target), Options())
    lua(f"torch.save('{path}', {{ a = {net}, b = {net} }})")
    with pytest.raises(
        ConvertError, match=r"a network, or a table with one network \(got 'a', 'b'; --key names one\)"
    ):
        onnx_model.write(str(path), str(target), Options())


def test_cycles_and_depth():
    inner = Object("nn.Sequential", {})
    inner.fields["modules"] = [inner]
    with pytest.raises(ConvertError, match="contains itself"):
        trace(inner, [(1, 6)])
    deep = Object("nn.Identity", {})
    for _ in range(5000):
        deep = Object("nn.Sequential", {"modules": [deep]})
    with pytest.raises(ConvertError, match="nested too deeply"):
        trace(deep, [(1, 6)])


def test_functions_in_files_do_not_run(lua, tmp_path):
    path, proof, target = tmp_path / "net.t7", tmp_path / "proof", tmp_path / "net.onnx"
    lua(
        "require 'nn'; local net = nn.Linear(3, 2)\n"
        f"net.updateOutput = function(self, x) io.open('{proof}', 'w'):close() return x end\n"
        f"torch.save('{path}', net)\n"
        f"net.updateOutput, net.unused = nil, function() end torch.save('{path}.unused', net)"
    )
    # The network computes what its function says, not what its class does.
    with pytest.raises(ConvertError, match=r"t7 cannot run the network: .*functions in files do not run"):
        onnx_model.write(str(path), str(target), Options())
    assert not proof.exists()
    assert not target.exists()
    onnx_model.write(f"{path}.unused", str(target), Options())


def test_parameters_of_large_models_lie_beside_them(lenet, tmp_path, capfd, monkeypatch):
    from t7shell.convert import onnx_weights

    whole, target = tmp_path / "whole.onnx", tmp_path / "net.onnx"
    command = ["--input", "1x1x32x32"]
    assert main([str(lenet), str(whole), *command]) == 0
    monkeypatch.setattr(onnx_model, "_MAX_BYTES", 100_000)
    assert main([str(lenet), str(target), *command]) == 0
    assert f"{target} and {target}.data: 11 operators" in capfd.readouterr().out
    assert target.stat().st_size < 10_000
    expected, found = (
        {x.name: onnx.numpy_helper.to_array(x) for x in onnx.load(str(path)).graph.initializer}
        for path in (whole, target)
    )
    assert found.keys() == expected.keys()
    assert all(np.array_equal(found[name], expected[name]) for name in found)
    onnx.checker.check_model(str(target))
    x = np.random.default_rng(2).normal(size=(2, 1, 32, 32))
    assert np.array_equal(onnx_model.run(str(target), [x])[0], onnx_model.run(str(whole), [x])[0])
    assert onnx_weights.read(str(target))["1.weight"].shape == (6, 1, 5, 5)
    # An error leaves neither file.
    monkeypatch.setattr(onnx_model, "TOLERANCE", -1.0)
    for path in (target, tmp_path / "net.onnx.data"):
        path.unlink()
    assert main([str(lenet), str(target), *command]) == 1
    assert sorted(tmp_path.iterdir()) == [lenet, whole]


def test_the_checker_sees_the_model(lenet, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(onnx_messages, "OPSET", 3)
    assert main([str(lenet), str(tmp_path / "net.onnx"), "--input", "1x1x32x32"]) == 1
    assert "the model is not valid" in capfd.readouterr().err


def test_compare():
    one = [np.array([1.0, np.nan, np.inf])]
    assert compare(one, one, 1e-5) == (0, 0)
    with pytest.raises(ConvertError, match=r"1\.0e-01 absolute, 5\.0e-02 relative, more than 1e-05"):
        compare([np.array([1.0, 2.0])], [np.array([1.1, 2.0])], 1e-5)
    with pytest.raises(ConvertError, match="inf"):
        compare([np.array([1.0])], [np.array([np.nan])], 1e-5)
    with pytest.raises(ConvertError, match="shapes"):
        compare([np.ones(2)], [np.ones((2, 1))], 1e-5)


def test_parameters_have_dotted_names(save_network, tmp_path):
    path = tmp_path / "net.t7"
    save_network("nn.Sequential():add(nn.Sequential():add(nn.Linear(4, 3))):add(nn.CMul(3))", path)
    graph = trace(t7file.load(path), [(1, 4)])
    names = [x.name for node in graph.nodes for x in node.inputs if x and x.parameter]
    assert names == ["1.1.weight", "1.1.bias", "2.weight"]


def test_export_from_lua(lua, tmp_path):
    path = tmp_path / "net.onnx"
    out = lua(
        f"""
        require 'nn'
        local net = nn.ParallelTable():add(nn.Linear(4, 3)):add(nn.SpatialConvolution(2, 3, 2, 2))
        local inputs = {{ torch.randn(2, 4), torch.randn(1, 2, 5, 6) }}
        local absolute, relative = nn.exportONNX(net, '{path}', inputs)
        print(absolute < 1e-5, relative < 1e-5, relative > 0)
        print(net:forward({{ torch.zeros(1, 4), torch.zeros(1, 2, 5, 6) }})[1]:size(2))
        print(pcall(nn.exportONNX, net, '{path}', torch.randn(2, 4)))
        print(pcall(nn.exportONNX, net, '{path}', {{}}))
        print(pcall(nn.exportONNX, net, '{path}', torch.Tensor()))
        print(pcall(nn.exportONNX, 3))
        """
    )
    lines = out.splitlines()
    assert lines[:2] == ["true\ttrue\ttrue", "3"]
    assert "exportONNX: nn.ParallelTable" in lines[2]
    assert "exportONNX: input must be a tensor, or a table of tensors (got table {})" in lines[3]
    assert "input must be a tensor with elements" in lines[4]
    assert "exportONNX: argument 1 must be a module (got 3)" in lines[5]
    assert [x.name for x in onnx.load(str(path)).graph.input] == ["input_1", "input_2"]
