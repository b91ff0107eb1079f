"""The layers of Caffe that have parameters in the file."""

from __future__ import annotations

import math

import numpy as np

from t7shell.packages.loadcaffe.steps import (
    Blob,
    Step,
    bias_of,
    integer_of,
    number_of,
    one,
    pair_of,
    view_of,
    weights_of,
    window_of,
)

_MAX_NUMBERS = 2**28  # numbers of a weight that is made larger than that of the file


def convolution(step: Step) -> Blob:
    fields = step.param("convolution")
    groups, outputs = integer_of(fields, "group", 1), integer_of(fields, "num_output", 0)
    window, dilation = window_of(fields), pair_of(fields, "dilation", "dilation", 1)
    shape = [outputs, -1, window["kH"], window["kW"]]
    weights = weights_of(step, shape, bool(one(fields, "bias_term", True)))
    if groups < 1 or outputs % groups:
        raise step.error(f"{outputs} outputs cannot be divided into {groups} groups")
    return step.make(
        "convolution", rank=4, channels=outputs, **window, **weights, groups=groups, outputs=outputs,
        inputs=weights["weight"].shape[1] * groups, dilationH=dilation[0], dilationW=dilation[1],
    )  # fmt: skip


def deconvolution(step: Step) -> Blob:
    fields = step.param("convolution")
    groups, outputs = integer_of(fields, "group", 1), integer_of(fields, "num_output", 0)
    window = window_of(fields)
    if pair_of(fields, "dilation", "dilation", 1) != [1, 1]:
        raise step.error("expected deconvolution without dilation")
    if groups < 1 or outputs < 1 or outputs % groups:
        raise step.error(f"{outputs} outputs cannot be divided into {groups} groups")
    bias = bool(one(fields, "bias_term", True))
    if len(step.found) != 1 + bias:
        raise step.error(f"expected {1 + bias} blobs in the caffemodel (got {len(step.found)})")
    part = [outputs // groups, window["kH"], window["kW"]]
    size = math.prod(part)
    if not step.found[0].size or size < 1 or step.found[0].size % (size * groups):
        raise step.error(f"expected weights of {[-1, *part]} (got {list(step.found[0].shape)})")
    weight = step.found[0].reshape(-1, *part)
    inputs = len(weight)
    if inputs * outputs * math.prod(part[1:]) > _MAX_NUMBERS:
        raise step.error(f"too many weights ({inputs} x {outputs} x {part[1]} x {part[2]})")
    if groups > 1:
        # The module has no groups: weights between planes of different groups are zero.
        whole = np.zeros((groups, inputs // groups, groups, *part), np.float32)
        for i, rows in enumerate(weight.reshape(groups, inputs // groups, *part)):
            whole[i, :, i] = rows
        weight = whole.reshape(inputs, outputs, *part[1:])
    weights = {"weight": weight, **(bias_of(step, step.found[1], outputs) if bias else {})}
    return step.make(
        "deconvolution", rank=4, channels=outputs, **window, **weights, inputs=inputs, outputs=outputs
    )


def linear(step: Step) -> Blob:
    fields = step.param("inner_product")
    outputs = integer_of(fields, "num_output", 0)
    if integer_of(fields, "axis", 1) != 1:
        raise step.error("expected an inner product of all dimensions but the first")
    weights = weights_of(step, [outputs, -1], bool(one(fields, "bias_term", True)))
    if one(fields, "transpose", False):
        weights["weight"] = np.ascontiguousarray(weights["weight"].reshape(-1, outputs).T)
    made = step.make("linear", rank=2, channels=outputs, **weights)
    if step.source.rank != 2:
        made.layers[0]["sources"] = []
        made.layers.insert(0, view_of(step, "torch_view"))
    return made


def prelu(step: Step) -> Blob:
    if len(step.found) != 1 or not step.found[0].size:
        raise step.error(f"expected 1 blob in the caffemodel (got {len(step.found)})")
    shared = bool(one(step.param("prelu"), "channel_shared", False))
    slopes = step.found[0].reshape(-1)
    if shared and slopes.size != 1:
        raise step.error(f"expected 1 slope (got {slopes.size})")
    return step.make("prelu", weight=slopes, planes=0 if shared else slopes.size)


def batch_norm(step: Step) -> Blob:
    fields = step.param("batch_norm")
    if len(step.found) != 3 or step.found[2].size != 1:
        raise step.error(f"expected 3 blobs in the caffemodel (got {len(step.found)})")
    mean, variance, factor = (blob.reshape(-1) for blob in step.found)
    if not mean.size or mean.size != variance.size:
        raise step.error(f"expected as many variances as means (got {variance.size} and {mean.size})")
    # The file holds sums; 0 is for none.
    scale = np.float32(1 / factor[0] if factor[0] else 0)
    return step.make(
        "batchnorm", channels=mean.size, planes=mean.size, eps=number_of(fields, "eps", 1e-5),
        mean=mean * scale, variance=variance * scale, flat=step.source.rank == 2,
        momentum=1 - number_of(fields, "moving_average_fraction", 0.999),
    )  # fmt: skip


def scale(step: Step) -> Blob:
    fields = step.param("scale")
    if (integer_of(fields, "axis", 1), integer_of(fields, "num_axes", 1)) != (1, 1):
        raise step.error("expected one factor for each channel")
    bias = bool(one(fields, "bias_term", False))
    if not step.found:
        raise step.error(f"expected {1 + bias} blobs in the caffemodel (got 0)")
    planes = step.found[0].size
    weights = weights_of(step, [planes], bias)
    layers = step.source.layers
    if step.alone and layers and layers[-1]["kind"] == "batchnorm" and "weight" not in layers[-1]:
        if layers[-1]["planes"] != planes:
            raise step.error(f"expected {layers[-1]['planes']} factors (got {planes})")
        layers[-1].update({"bias": np.zeros(planes, np.float32), **weights})
        # One module computes both.
        return Blob(rank=step.source.rank, channels=planes)
    return step.make("scale", channels=planes, planes=planes, rank_before=step.source.rank, **weights)


def bias_layer(step: Step) -> Blob:
    fields = step.param("bias")
    if (integer_of(fields, "axis", 1), integer_of(fields, "num_axes", 1)) != (1, 1) or len(step.found) != 1:
        raise step.error("expected one bias for each channel")
    bias = step.found[0].reshape(-1)
    if not bias.size:
        raise step.error("expected one bias for each channel (got 0)")
    return step.make("scale", channels=bias.size, planes=bias.size, rank_before=step.source.rank, bias=bias)
