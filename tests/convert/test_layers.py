"""Each module that can be converted, alone and in a chain, by onnxruntime and PyTorch."""

from __future__ import annotations

import re

import pytest

from t7shell.convert.registry import TABLE, UNSUPPORTED
from tests.convert.conftest import finite
from tests.convert.layer_records import RECORDS, Record

# What follows a module in the chain.
BEHIND = ":add(nn.ConcatTable():add(nn.Identity()):add(nn.Identity())):add(nn.FlattenTable())"


def _shapes(record: Record):
    return [shape[1] if shape[0] == "index" else shape for shape in record.inputs]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.make)
def test_module(convert, record):
    found = convert(record.make, *_shapes(record))
    assert finite(found.outputs), "the comparison needs different numbers"
    found.compare()


@pytest.mark.slow
@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.make)
def test_chain(convert, record):
    vectors = len(record.inputs) == 1 and record.inputs[0][0] != "index"
    before = "nn.MulConstant(0.9)" if vectors else "nn.Identity()"
    found = convert(f"nn.Sequential():add({before}):add({record.make}){BEHIND}", *_shapes(record))
    found.compare()


def _old_standard_deviation(fields):
    fields["running_std"] = (fields.pop("running_var") + fields["eps"]) ** -0.5


def _without(*names):
    return lambda fields: [fields.pop(name) for name in names]


@pytest.mark.parametrize(
    ("make", "shape", "change"),
    [
        ("nn.SpatialBatchNormalization(3)", (2, 3, 4, 5), _old_standard_deviation),
        ("nn.SpatialConvolution(3, 2, 3, 3)", (2, 3, 8, 8), _without("padW", "padH")),
        (
            "nn.SpatialConvolution(3, 2, 3, 3, 1, 1, 1, 1)",
            (2, 3, 8, 8),
            lambda fields: fields.update(padding=fields.pop("padW"), old=fields.pop("padH")),
        ),
        ("nn.SpatialMaxPooling(3, 3, 2, 2)", (2, 3, 8, 8), _without("padW", "padH", "ceil_mode")),
        (
            "nn.SpatialAveragePooling(3, 3, 2, 2)",
            (2, 3, 8, 8),
            _without("padW", "padH", "ceil_mode", "count_include_pad"),
        ),
        ("nn.Dropout(0.4)", (2, 3), _without("v2")),
        ("nn.SpatialFullConvolution(3, 2, 3, 3, 2, 2)", (2, 3, 4, 4), _without("adjW", "adjH")),
        ("nn.ELU()", (2, 3), _without("alpha")),
        ("nn.HardTanh()", (2, 3), _without("min_val", "max_val")),
        ("nn.SoftPlus()", (2, 3), _without("threshold")),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_fields_of_old_versions(convert, make, shape, change):
    found = convert(make, shape, change=change)
    assert finite(found.outputs)
    found.compare()


@pytest.mark.parametrize("kind", ["cuda()", "type('torch.HalfTensor')", "double()"])
def test_element_types(convert, kind):
    net = f"nn.Sequential():add(nn.Linear(5, 4)):add(nn.Tanh()):{kind}"
    found = convert(f"(function() require 'cunn' return {net} end)()", (2, 5))
    found.compare()


def test_every_entry_has_a_record():
    import t7shell.convert.layers  # noqa: F401

    # Those of whole networks are in test_networks.py; PrintSize prints, and cudnn.RNN is a base class.
    exempt = {
        "nn.DataParallelTable",
        "nn.DataParallel",
        "nn.gModule",
        "cudnn.RNN",
        "nn.Convert",
        "nn.PrintSize",
    }
    text = " ".join(record.make for record in RECORDS)
    made = set(re.findall(r"\b((?:nn|cudnn)\.\w+)", text))
    assert sorted(set(TABLE) - made - exempt) == []


def test_every_module_is_supported_or_says_why(fresh_lua):
    import t7shell.convert.layers  # noqa: F401

    names = fresh_lua(
        "require 'nn'; require 'nngraph'; require 'dpnn'; require 'rnn'\n"
        "for name, class in pairs(nn) do if type(class) == 'table' and torch.isTypeOf(class, 'nn.Module') "
        "then print('nn.' .. name) end end"
    ).split()
    assert sorted(set(names) - set(TABLE) - set(UNSUPPORTED)) == []
