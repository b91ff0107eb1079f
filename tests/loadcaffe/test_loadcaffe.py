"""Networks of Caffe: both formats of layers, their modules, and damaged files."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest

from t7shell.packages.loadcaffe.text_format import FormatError, parse
from t7shell.packages.loadcaffe.wire_format import blobs
from tests.loadcaffe.model_files import field, model, varint

NEW = """
name: "small"   # a comment
input: "data" input_dim: 1 input_dim: 4 input_dim: 8 input_dim: 9
layer { name: "conv1" type: "Convolution" bottom: "data" top: "conv1"
  convolution_param { num_output: 6 kernel_size: 3 stride: 2 pad: 1 group: 2
    weight_filler { type: 'xavier' } } }
layer { name: "relu1" type: "ReLU" bottom: "conv1" top: "conv1" }
layer { name: "norm1" type: "LRN" bottom: "conv1" top: "norm1"
  lrn_param { local_size: 3 alpha: 5e-05 beta: .75 } }
layer { name: "pool1" type: "Pooling" bottom: "norm1" top: "pool1"
  pooling_param { pool: MAX kernel_size: 2 stride: 3 } }
layer { name: "fc2" type: "InnerProduct" bottom: "pool1" top: "fc2" inner_product_param { num_output: 5 } }
layer { name: "drop2" type: "Dropout" bottom: "fc2" top: "fc2" dropout_param { dropout_ratio: 0.25 } }
layer { name: "fc3" type: "InnerProduct" bottom: "fc2" top: "fc3"
  inner_product_param { num_output: 3 bias_term: false } }
layer { name: "prob" type: "Softmax" bottom: "fc3" top: "prob" }
"""

OLD = """
layers { name: "data" type: DATA top: "data" top: "label" include: { phase: TRAIN } }
layers { name: "conv1" type: CONVOLUTION bottom: "data" top: "conv1"
  convolution_param { num_output: 6 kernel_h: 3 kernel_w: 2 stride: 1 } blobs_lr: 1 blobs_lr: 2 }
layers { name: "pool1" type: POOLING bottom: "conv1" top: "pool1"
  pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 } }
layers { name: "fc" type: INNER_PRODUCT bottom: "pool1" top: "fc" inner_product_param { num_output: 2 } }
layers { name: "accuracy" type: ACCURACY bottom: "fc" bottom: "label" top: "accuracy" }
layers { name: "loss" type: SOFTMAX_LOSS bottom: "fc" bottom: "label" top: "loss" }
"""


random = np.random.default_rng(1)
NEW_BLOBS = {
    "conv1": [random.standard_normal((6, 2, 3, 3)), random.standard_normal(6)],
    "fc2": [random.standard_normal((5, 6 * 2 * 2)), random.standard_normal(5)],
    "fc3": [random.standard_normal((3, 5))],
}
OLD_BLOBS = {
    "conv1": [random.standard_normal((6, 4, 3, 2)), random.standard_normal(6)],
    "fc": [random.standard_normal((2, 6 * 4 * 5)), random.standard_normal(2)],
}


def convolved(x, weight, bias, stride, pad):
    """Correlation of planes x height x width."""
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad)))
    kh, kw = weight.shape[2:]
    rows, columns = (x.shape[1] - kh) // stride + 1, (x.shape[2] - kw) // stride + 1
    result = np.zeros((len(weight), rows, columns))
    for i in range(rows):
        for j in range(columns):
            window = x[:, i * stride : i * stride + kh, j * stride : j * stride + kw]
            result[:, i, j] = (weight * window).sum((1, 2, 3)) + bias
    return result


def test_current_format(lua, files):
    arguments = files(NEW, model(NEW_BLOBS))
    out = lua(
        f"""
        require 'loadcaffe'
        net = loadcaffe.load({arguments}) -- the package is a global too
        for _, m in ipairs(net.modules) do print(m.name, torch.type(m)) end
        print(net:get(1).groups, net:get(4).ceil_mode, net:get(3).size, net:get(3).alpha, net:get(7).p)
        net:evaluate()
        local y = net:forward(torch.range(1, 2 * 4 * 8 * 9):view(2, 4, 8, 9):mul(0.01):sin():float())
        print(torch.type(y), y:size(1), y:size(2))
        for i = 1, 3 do print(('%.9f'):format(y[2][i])) end
        """
    ).splitlines()
    assert out[:9] == [
        "conv1\tcudnn.SpatialConvolution",
        "relu1\tnn.ReLU",
        "norm1\tnn.SpatialCrossMapLRN",
        "pool1\tnn.SpatialMaxPooling",
        "torch_view\tnn.View",
        "fc2\tnn.Linear",
        "drop2\tnn.Dropout",
        "fc3\tnn.Linear",
        "prob\tnn.SoftMax",
    ]
    assert out[9:11] == ["2\ttrue\t3\t5e-05\t0.25", "torch.FloatTensor\t2\t3"]
    x = np.sin(np.arange(1, 577).reshape(2, 4, 8, 9) * 0.01)[1]
    weight, bias = NEW_BLOBS["conv1"]
    groups = [convolved(x[:2], weight[:3], bias[:3], 2, 1), convolved(x[2:], weight[3:], bias[3:], 2, 1)]
    y = np.concatenate(groups).clip(0)
    squares = np.pad(y**2, ((1, 1), (0, 0), (0, 0)))
    y = y / (1 + 5e-5 / 3 * (squares[:-2] + squares[1:-1] + squares[2:])) ** 0.75
    # 4 x 5 by windows of 2 with a stride of 3: the last ones are not whole.
    y = np.stack([[y[:, i : i + 2, j : j + 2].max((1, 2)) for j in (0, 3)] for i in (0, 3)]).transpose(
        2, 0, 1
    )
    y = NEW_BLOBS["fc2"][0] @ y.ravel() + NEW_BLOBS["fc2"][1]
    y = np.exp(NEW_BLOBS["fc3"][0] @ y)
    assert np.allclose([float(line) for line in out[11:14]], y / y.sum(), atol=1e-5)


def test_old_format(lua, files):
    arguments = files(OLD, model(OLD_BLOBS, old=True))
    out = lua(
        f"""
        local net = require 'loadcaffe'.load({arguments}, 'nn')
        for _, m in ipairs(net.modules) do print(m.name, torch.type(m)) end
        local c = net:get(1)
        print(c.kH, c.kW, c.dH, c.padH, net:get(2).ceil_mode, net:get(2).count_include_pad)
        print(('%.6f %.6f'):format(c.weight[6][4][3][2], net:get(4).bias[2]))
        net:evaluate()
        print(net:forward(torch.FloatTensor(1, 4, 8, 10):fill(1)):sum())
        """
    ).splitlines()
    assert out[:5] == [
        "conv1\tnn.SpatialConvolution",
        "pool1\tnn.SpatialAveragePooling",
        "torch_view\tnn.View",
        "fc\tnn.Linear",
        "loss\tnn.SoftMax",
    ]
    assert out[5] == "3\t2\t1\t0\ttrue\ttrue"
    assert out[6] == f"{OLD_BLOBS['conv1'][0][5, 3, 2, 1]:.6f} {OLD_BLOBS['fc'][1][1]:.6f}"
    assert abs(float(out[7]) - 1) < 1e-6


def test_backend(lua, files):
    arguments = files(OLD, model(OLD_BLOBS, old=True))
    out = lua(f"print(require 'loadcaffe'.load({arguments}, 'cudnn'))")
    assert "cudnn.SpatialConvolution" in out
    assert "cudnn.SpatialAveragePooling" in out
    assert "backend must be 'nn' or 'cudnn' (got 'cuda')" in lua(
        f"print(select(2, pcall(require 'loadcaffe'.load, {arguments}, 'cuda')))"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("Softmax", "Python"), "layer 'prob': type Python is not one of"),
        (('bottom: "fc3"', 'bottom: "fc4"'), "layer 'prob': no layer before it makes its input 'fc4'"),
        (('bottom: "fc3"', 'bottom: "fc3" bottom: "fc2"'), "layer 'prob': expected one input"),
        (('name: "fc3"', 'name: "other"'), "layer 'other': expected 1 blobs in the caffemodel (got 0)"),
        (("num_output: 6", "num_output: 7"), "layer 'conv1': expected weights of"),
        (("num_output: 6", "num_output: nothing"), "num_output must be a number (got 'nothing')"),
        (("num_output: 6", "num_output: 1e999"), "num_output must be a whole number (got inf)"),
        (("pool: MAX", "pool: STOCHASTIC"), "layer 'pool1': pool must be MAX or AVE (got STOCHASTIC)"),
        (("kernel_size: 2", "kernel_size: -1"), "kernel_size must be one or two whole numbers"),
        (("{ pool: MAX", "{ pool MAX"), "line 11: expected ':' or a message after 'pool' (got 'MAX')"),
        (('"Softmax" bottom: "fc3" top: "prob" }', '"Softmax"'), "unexpected end"),
        (("name:", "}"), "expected the name of a field"),
    ],
)
def test_errors_of_the_description(lua, files, change, message):
    arguments = files(NEW.replace(*change), model(NEW_BLOBS))
    out = lua(f"print(select(2, pcall(require 'loadcaffe'.load, {arguments})))")
    assert "loadcaffe.load: " in out
    assert message in out
    assert out.count("\n") == 1


def test_missing_files(lua, tmp_path):
    out = lua(f"print(select(2, pcall(require 'loadcaffe'.load, '{tmp_path}/a', '{tmp_path}/b')))")
    assert "loadcaffe.load: " in out
    assert "a" in out


def test_damaged_models(lua, files):
    whole = model(NEW_BLOBS)
    for data, message in [
        (b"", "the file is empty"),
        (b"\x0a\x05", "field 1 of 5 bytes, but 0 are left"),
        (b"\xff" * 20, "a number is longer than 10 bytes"),
        (b"\x0b\x00", "field 1 has the unknown type 3"),
        (field(1, b"name"), "no layers: not a network of Caffe"),
        (whole[:100], "but"),
    ]:
        out = lua(f"print(select(2, pcall(require 'loadcaffe'.load, {files(NEW, data)})))")
        assert "loadcaffe.load: " in out
        assert message in out
        assert "net.caffemodel" in out


def test_any_damage_is_a_format_error():
    whole = model({"a": [np.ones((2, 3))]}) + model({"b": [np.ones((2, 1, 1, 1))]}, old=True)
    for i in range(len(whole)):
        for damaged in (whole[:i], whole[:i] + bytes([whole[i] ^ 255]) + whole[i + 1 :]):
            with suppress(FormatError):
                blobs(memoryview(damaged))
    for i in range(len(NEW)):
        with suppress(FormatError):
            parse(NEW[:i])
    with pytest.raises(FormatError, match="nested more than"):
        parse("a {" * 1000)


def test_blob_sizes_are_checked():
    with pytest.raises(FormatError, match="a blob of sizes"):
        blobs(memoryview(field(100, field(1, b"x") + field(7, field(7, field(1, varint(5)))))))


def test_text_format():
    found = parse("a: 1 a: [2, 3.5] b { c: 'x\\'y' d: true } b < e: NAME > # end\nf: -1e2;")
    assert found == {"a": [1, 2, 3.5], "b": [{"c": ["x'y"], "d": [True]}, {"e": ["NAME"]}], "f": [-100]}


def test_a_file_that_is_not_there_is_named(lua):
    printed = lua("print(select(2, pcall(require 'loadcaffe'.load, 'none.prototxt', 'none.caffemodel')))")
    assert "loadcaffe.load: none.prototxt: No such file or directory" in printed
