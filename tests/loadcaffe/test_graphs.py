"""Networks of Caffe that branch, and each kind of layer, against PyTorch."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.loadcaffe.model_files import model

torch = pytest.importorskip("torch")
F = torch.nn.functional

random = np.random.default_rng(3)
HEAD = 'layer { name: "in" type: "Input" top: "x" input_param { shape { dim: 1 dim: 4 dim: 6 dim: 5 } } }\n'


def array(*shape):
    return random.standard_normal(shape).astype(np.float32)


def layer(name, kind, bottoms, top=None, rest=""):
    sources = " ".join(f'bottom: "{bottom}"' for bottom in bottoms.split())
    tops = " ".join(f'top: "{each}"' for each in (top or name).split())
    return f'layer {{ name: "{name}" type: "{kind}" {sources} {tops} {rest} }}\n'


@pytest.fixture
def outputs(lua, files, tmp_path):
    """outputs(prototxt, blobs, inputs): what the network and its class is, and its outputs."""

    def run(prototxt, blobs, *inputs, old=False):
        content = model(blobs, old) if blobs else model({"none": [np.zeros(1)]}, old)
        lua("npy4th = require 'npy4th'")
        names = []
        for i, x in enumerate(inputs):
            np.save(tmp_path / f"{i}.npy", x)
            names.append(f"npy4th.loadnpy('{tmp_path}/{i}.npy')")
        given = names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
        found = lua(
            f"""
            net = require 'loadcaffe'.load({files(prototxt, content)})
            net:evaluate()
            y = net:forward({given})
            y = type(y) == 'table' and y or {{ y }}
            for i = 1, #y do npy4th.savenpy('{tmp_path}/y' .. i .. '.npy', y[i]) end
            print(torch.type(net), #y)
            """
        )
        kind, count = re.fullmatch(r"(\S+)\t(\d+)\n", found).groups()
        return kind, [np.load(tmp_path / f"y{i}.npy") for i in range(1, int(count) + 1)]

    return run


def same(found, expected):
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=1e-4, atol=1e-5)


X = array(2, 4, 6, 5)
TX = torch.from_numpy(X)
W = {name: array(*shape) for name, shape in {
    "deconvolution": (4, 3, 3, 2), "groups": (4, 3, 2, 2), "bias": (3,), "six": (6,), "linear": (3, 120),
    "slopes": (4,), "mean": (4,), "scale": (4,), "shift": (4,),
}.items()}  # fmt: skip
VARIANCE = np.array([0.5, 1, 2, 3], np.float32)

# Type, parameters, blobs, and the result.
LAYERS = {
    "deconvolution": (
        "Deconvolution",
        "convolution_param { num_output: 3 kernel_h: 3 kernel_w: 2 stride: 2 pad: 1 }",
        [W["deconvolution"], W["bias"]],
        lambda x: F.conv_transpose2d(x, torch.tensor(W["deconvolution"]), torch.tensor(W["bias"]), 2, 1),
    ),
    "deconvolution with groups": (
        "Deconvolution",
        "convolution_param { num_output: 6 group: 2 kernel_size: 2 stride: 2 bias_term: false }",
        [W["groups"]],
        lambda x: F.conv_transpose2d(x, torch.tensor(W["groups"]), None, 2, groups=2),
    ),
    "batch normalization": (
        "BatchNorm", "batch_norm_param { eps: 0.001 }",
        [4 * W["mean"], 4 * VARIANCE, np.array([4])],
        lambda x: F.batch_norm(x, torch.tensor(W["mean"]), torch.tensor(VARIANCE), eps=1e-3),
    ),
    "scale": (
        "Scale", "scale_param { bias_term: true }", [W["scale"], W["shift"]],
        lambda x: x * torch.tensor(W["scale"]).view(4, 1, 1) + torch.tensor(W["shift"]).view(4, 1, 1),
    ),
    "bias": ("Bias", "", [W["shift"]], lambda x: x + torch.tensor(W["shift"]).view(4, 1, 1)),
    "transposed linear": (
        "InnerProduct", "inner_product_param { num_output: 3 bias_term: false transpose: true }",
        [W["linear"].T.copy()],
        lambda x: x.flatten(1) @ torch.tensor(W["linear"]).T,
    ),
    "relu": ("ReLU", "", [], F.relu),
    "leaky relu": ("ReLU", "relu_param { negative_slope: 0.1 }", [], lambda x: F.leaky_relu(x, 0.1)),
    "prelu": ("PReLU", "", [W["slopes"]], lambda x: F.prelu(x, torch.tensor(W["slopes"]))),
    "prelu of one slope": (
        "PReLU", "prelu_param { channel_shared: true }", [np.array([0.3])],
        lambda x: F.leaky_relu(x, 0.3),
    ),
    "elu": ("ELU", "elu_param { alpha: 0.5 }", [], lambda x: F.elu(x, 0.5)),
    "sigmoid": ("Sigmoid", "", [], torch.sigmoid),
    "tanh": ("TanH", "", [], torch.tanh),
    "absolute values": ("AbsVal", "", [], torch.abs),
    "softplus": ("BNLL", "", [], F.softplus),
    "power": (
        "Power", "power_param { power: 2 scale: 0.5 shift: -1 }", [], lambda x: (0.5 * x - 1) ** 2,
    ),
    "power of nothing": ("Power", "", [], lambda x: x),
    "exp": (
        "Exp", "exp_param { base: 2 scale: 0.5 shift: 1 }", [], lambda x: 2 ** (0.5 * x + 1),
    ),
    "natural exp": ("Exp", "", [], torch.exp),
    "log": (
        "Log", "log_param { base: 10 scale: 0.1 shift: 9 }", [], lambda x: torch.log10(0.1 * x + 9),
    ),
    "flatten": ("Flatten", "", [], lambda x: x.flatten(1)),
    "reshape": (
        "Reshape", "reshape_param { shape { dim: 0 dim: 2 dim: -1 } }", [], lambda x: x.reshape(2, 2, 60),
    ),
    "reshape of known channels": (
        "Reshape", "reshape_param { shape { dim: 0 dim: 0 dim: 30 } }", [], lambda x: x.reshape(2, 4, 30),
    ),
    "reshape of batches": (
        "Reshape", "reshape_param { shape { dim: -1 dim: 2 dim: 5 } }", [], lambda x: x.reshape(24, 2, 5),
    ),
    "global pooling": (
        "Pooling", "pooling_param { pool: AVE global_pooling: true }", [],
        lambda x: x.mean((2, 3), keepdim=True),
    ),
    "pooling of whole windows": (
        "Pooling", "pooling_param { pool: MAX kernel_size: 2 stride: 2 round_mode: FLOOR }", [],
        lambda x: F.max_pool2d(x, 2),
    ),
    "softmax": ("Softmax", "", [], lambda x: F.softmax(x, 1)),
    "split": ("Split", "", [], lambda x: x),
}  # fmt: skip
# Types that the first format had, by their names there.
OLD = {
    "deconvolution": "DECONVOLUTION", "sigmoid": "SIGMOID", "tanh": "TANH", "absolute values": "ABSVAL",
    "softplus": "BNLL", "power": "POWER", "flatten": "FLATTEN", "softmax": "SOFTMAX",
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layers(outputs, name):
    kind, fields, blobs, expected = LAYERS[name]
    # Another layer behind it, since a layer that computes nothing is none.
    text = HEAD + layer("one", kind, "x", "y", fields) + layer("abs", "AbsVal", "y", "z")
    found, (y,) = outputs(text, {"one": blobs} if blobs else {}, X)
    assert found == "nn.Sequential"
    same(y, expected(TX).abs())


@pytest.mark.parametrize("name", OLD)
def test_layers_of_the_first_format(outputs, name):
    _, fields, blobs, expected = LAYERS[name]
    text = (
        f'input: "x" input_dim: 1 input_dim: 4 input_dim: 6 input_dim: 5\n'
        f'layers {{ name: "one" type: {OLD[name]} bottom: "x" top: "y" {fields} }}'
    )
    found, (y,) = outputs(text, {"one": blobs} if blobs else {}, X, old=True)
    assert found == "nn.Sequential"
    same(y, expected(TX))


def test_a_residual_block(outputs, lua):
    weights = {"conv": [array(4, 4, 3, 3)], "short": [array(4, 4, 1, 1), array(4)]}
    weights["bn"] = [3 * W["mean"], 3 * VARIANCE, np.array([3])]
    weights["scale"] = [W["scale"], W["shift"]]
    text = (
        HEAD
        + layer("conv", "Convolution", "x", "a",
                "convolution_param { num_output: 4 kernel_size: 3 pad: 1 bias_term: false }")
        + layer("bn", "BatchNorm", "a", "a")
        + layer("scale", "Scale", "a", "a", "scale_param { bias_term: true }")
        + layer("relu", "ReLU", "a", "a")
        + layer("short", "Convolution", "x", "b", "convolution_param { num_output: 4 kernel_size: 1 }")
        + layer("sum", "Eltwise", "a b", "c", "eltwise_param { coeff: 1 coeff: -0.5 }")
        + layer("last", "ReLU", "c", "c")
    )  # fmt: skip
    found, (y,) = outputs(text, weights, X)
    assert found == "nn.gModule"
    a = F.conv2d(TX, torch.tensor(weights["conv"][0]), padding=1)
    parameters = [torch.tensor(w) for w in (W["mean"], VARIANCE, W["scale"], W["shift"])]
    a = F.relu(F.batch_norm(a, *parameters))
    b = F.conv2d(TX, *(torch.tensor(w) for w in weights["short"]))
    same(y, F.relu(a - 0.5 * b))
    # Batch normalization and the scale behind it are one module.
    out = lua(
        "n = net:findModules('nn.SpatialBatchNormalization') print(#n, n[1].affine, n[1].name)"
        "print(#net:findModules('nn.CMul'), net:findModules('nn.ReLU')[1].inplace)"
    )
    assert out == "1\ttrue\tbn\n0\ttrue\n"


def test_an_inception_block(outputs):
    weights = {"one": [array(3, 4, 1, 1), array(3)], "fc": [array(2, 7 * 30), array(2)]}
    text = (
        HEAD
        + layer("one", "Convolution", "x", rest="convolution_param { num_output: 3 kernel_size: 1 }")
        + layer("pool", "Pooling", "x", rest="pooling_param { pool: MAX kernel_size: 3 stride: 1 pad: 1 }")
        + layer("join", "Concat", "one pool", rest="concat_param { axis: 1 }")
        + layer("parts", "Slice", "join", "low high", "slice_param { slice_point: 2 }")
        + layer("fc", "InnerProduct", "join", rest="inner_product_param { num_output: 2 }")
    )
    found, (low, high, fc) = outputs(text, weights, X)
    assert found == "nn.gModule"
    one = F.conv2d(TX, *(torch.tensor(w) for w in weights["one"]))
    join = torch.cat([one, F.max_pool2d(TX, 3, 1, 1)], 1)
    same(low, join[:, :2])
    same(high, join[:, 2:])
    same(fc, F.linear(join.flatten(1), *(torch.tensor(w) for w in weights["fc"])))


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("PROD", lambda x: x * x.tanh() * x.sigmoid()),
        ("MAX", lambda x: x.tanh().maximum(x).maximum(x.sigmoid())),
    ],
)
def test_element_wise(outputs, operation, expected):
    text = (
        HEAD + layer("t", "TanH", "x") + layer("s", "Sigmoid", "x")
        + layer("y", "Eltwise", "x t s", rest=f"eltwise_param {{ operation: {operation} }}")
    )  # fmt: skip
    _, (y,) = outputs(text, {}, X)
    same(y, expected(TX))


def test_slices_of_equal_sizes_and_concatenation_of_rows(outputs):
    text = (
        HEAD + layer("parts", "Slice", "x", "a b") + layer("t", "TanH", "b")
        + layer("join", "Concat", "t a", rest="concat_param { axis: -2 }")
    )  # fmt: skip
    _, (y,) = outputs(text, {}, X)
    same(y, torch.cat([TX[:, 2:].tanh(), TX[:, :2]], 2))


def test_writing_over_an_input_spares_other_readers(outputs):
    """Caffe copies a blob that several layers read, before one of them writes over it."""
    text = (
        HEAD
        + layer(
            "conv",
            "Convolution",
            "x",
            "a",
            "convolution_param { num_output: 4 kernel_size: 1 }",
        )
        + layer("split", "Split", "a", "b c")
        + layer("flat", "Flatten", "b")
        + layer("relu", "ReLU", "flat", "flat")
        + layer("other", "Flatten", "c")
        + layer("sum", "Eltwise", "flat other")
        + layer("first", "ReLU", "x", "x")
        + layer("second", "AbsVal", "x")
    )
    weights = {"conv": [array(4, 4, 1, 1), array(4)]}
    _, (total, x) = outputs(text, weights, X)
    a = F.conv2d(TX, *(torch.tensor(w) for w in weights["conv"])).flatten(1)
    same(total, a + F.relu(a))
    same(x, F.relu(TX))


def test_several_inputs_and_losses(outputs):
    text = (
        'layer { name: "data" type: "Data" top: "left" top: "label" include { phase: TRAIN } }\n'
        'layer { name: "data" type: "Data" top: "left" top: "label" include { phase: TEST } }\n'
        'layer { name: "more" type: "DummyData" top: "right" top: "unused" exclude { phase: TRAIN } }\n'
        + layer("sum", "Eltwise", "left right")
        + layer("quiet", "Silence", "sum", "sum2")
        + layer("t", "TanH", "sum")
        + layer("loss", "EuclideanLoss", "t label")
        + layer("prob", "SigmoidCrossEntropyLoss", "sum label")
        + layer("top", "Accuracy", "prob label")
    )
    found, (t, prob) = outputs(text, {}, X, 2 * X)
    assert found == "nn.gModule"
    same(t, (3 * TX).tanh())
    same(prob, (3 * TX).sigmoid())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (layer("y", "Concat", "x f"), "makes its input 'f'"),
        (layer("f", "Flatten", "x") + layer("y", "Concat", "x f"), "the same number of dimensions"),
        (layer("y", "Concat", "x x", rest="concat_param { axis: 0 }"), "axis must be from 1 to 3 (got 0)"),
        (layer("y", "Eltwise", "x x", rest="eltwise_param { coeff: 1 }"), "one coefficient per input"),
        (layer("y", "Eltwise", "x x", rest="eltwise_param { operation: MIN }"), "must be PROD, SUM or MAX"),
        (layer("y", "Slice", "x", "a b c"), "a known size that is a multiple of 3"),
        (layer("y", "Slice", "x", "a b", "slice_param { slice_point: 4 }"), "slice_point must be below 4"),
        (layer("y", "Slice", "x", "a b c", "slice_param { slice_point: 2 slice_point: 1 }"), "must increase"),
        (layer("y", "Slice", "x", "a b", "slice_param { slice_point: x }"), "1 numbers expected"),
        (layer("y", "BatchNorm", "x"), "expected 3 blobs in the caffemodel (got 0)"),
        (layer("y", "Scale", "x"), "expected 1 blobs in the caffemodel (got 0)"),
        (layer("y", "Scale", "x", rest="scale_param { axis: 0 }"), "expected one factor for each channel"),
        (layer("y", "PReLU", "x"), "expected 1 blob in the caffemodel (got 0)"),
        (layer("y", "Log", "x", rest="log_param { base: 0 }"), "base must be -1, or positive and not 1"),
        (layer("y", "Reshape", "x", rest="reshape_param { shape { dim: 3 dim: 4 } }"), "sizes such as 0"),
        (layer("y", "Deconvolution", "x", rest="convolution_param { num_output: 3 kernel_size: 3 group: 2 }"),
         "3 outputs cannot be divided into 2 groups"),
        (layer("y", "Softmax", "x", rest="softmax_param { axis: 2 }"), "the axis of a softmax must be 1"),
        (layer("y", "TanH", ""), "expected one input (got [])"),
    ],
)  # fmt: skip
def test_errors(lua, files, text, message):
    arguments = files(HEAD + text, model({"none": [np.zeros(1)]}))
    out = lua(f"print(select(2, pcall(require 'loadcaffe'.load, {arguments})))")
    assert "loadcaffe.load: " in out
    assert message in out
    assert out.count("\n") == 1
