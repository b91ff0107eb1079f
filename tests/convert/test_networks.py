"""Whole networks by onnxruntime and PyTorch."""

from __future__ import annotations

import re

import pytest

from t7shell.convert.pytorch_source import PyTorchModule
from tests.convert.conftest import finite
from tests.convert.networks import NETWORKS


@pytest.mark.parametrize("name", NETWORKS)
def test_network(convert, name):
    make, shapes = NETWORKS[name]
    found = convert(make, *shapes)
    assert finite(found.outputs)
    found.compare()


def test_shared_weights_are_one_layer(convert):
    make, shapes = NETWORKS["unrolled"]
    source = PyTorchModule(convert(make, *shapes).graph, "network.t7", "network.py").source
    assert len(re.findall(r"= nn\.Linear\(10, 6\)", source)) == 1
    assert len(re.findall(r"= self\.linear_\w+\(", source)) == 3


def test_batch_is_free(convert):
    onnx = pytest.importorskip("onnx")
    make, shapes = NETWORKS["ResNet"]
    found = convert(make, *shapes)
    found.compare()
    model = onnx.load(str(found.path.with_suffix(".onnx")))
    for value in [*model.graph.input, *model.graph.output]:
        assert value.type.tensor_type.shape.dim[0].dim_param == "batch"
    assert {"1.weight", "4.1.1.2.running_mean", "9.bias"} <= {
        tensor.name for tensor in model.graph.initializer
    }
    assert model.opset_import[0].version >= 17
