"""One line for each module, as Lua prints it, from the fields in a file and without Lua."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from t7shell.host.encoding import plain
from t7shell.t7file.model import Object
from t7shell.t7file.modules import is_module

_SCALARS = 8  # fields that are listed for a class without a row
_MAX_STRING = 60  # characters of a string
_HIDDEN = ("train", "_type", "name")

Fields = dict[Any, Any]
Row = Callable[[Fields], str]


def description(item: Object) -> str:
    """Describes an object in one line: its class and, for a module, the text of its ``__tostring__``."""
    name = plain(item.typename[:200])
    if not is_module(item):
        return name
    row = ROWS.get(item.typename) or ROWS.get("nn." + item.typename.partition(".")[2])
    try:
        if row:
            return plain(name + row(item.fields))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        pass  # A field is missing or of another type: an old version, or a damaged file.
    shown = ", ".join(_scalars(item.fields))
    return f"{name}({shown})" if shown else name


def _scalars(fields: Fields) -> list[str]:
    found = []
    for key in sorted(key for key in fields if isinstance(key, str)):
        value = fields[key]
        if key in _HIDDEN or key.startswith("_") or not isinstance(value, (bool, int, float, str)):
            continue
        if isinstance(value, bool):
            value = str(value).lower()
        text = f"{value:g}" if isinstance(value, float) else str(value)[:_MAX_STRING]
        found.append(f"{plain(key)}={plain(text)}")
    return found if len(found) <= _SCALARS else [*found[:_SCALARS], "..."]


def _names(letter: str, axes: str) -> list[str]:
    return [letter + axis for axis in axes]


def _list(fields: Fields, names: Sequence[str], separator: str, default: int = 0) -> str:
    return separator.join(str(fields.get(name, default)) for name in names)


def _without_bias(fields: Fields) -> str:
    return "" if fields.get("bias") is not None else " without bias"


def _linear(parameter: str) -> Row:
    return lambda f: f"({f[parameter].shape[1]} -> {f[parameter].shape[0]}){_without_bias(f)}"


def _convolution(axes: str, dilation: bool = False, full: bool = False) -> Row:
    kernel, stride, pad = _names("k", axes), _names("d", axes), _names("pad", axes)
    adjust = _names("adj", axes)

    def row(f: Fields) -> str:
        parts = [f"{f['nInputPlane']} -> {f['nOutputPlane']}", _list(f, kernel, "x")]
        adjusted = full and any(f.get(name, 0) for name in adjust)
        padded = adjusted or any(f.get(name, 0) for name in pad)
        if padded or any(f[name] != 1 for name in stride):
            parts.append(_list(f, stride, ","))
        if padded:
            parts.append(_list(f, pad, ","))
        if adjusted:
            parts.append(_list(f, adjust, ","))
        if dilation:
            parts.append(_list(f, _names("dilation", axes), ",", 1))
        # Convolutions of volumes do not tell, unless they are dilated.
        tells = axes == "WH" or dilation
        return f"({', '.join(parts)}){_without_bias(f) if tells else ''}"

    return row


def _pooling(axes: str, dilation: bool = False) -> Row:
    pad = _names("pad", axes)

    def row(f: Fields) -> str:
        parts = [_list(f, _names("k", axes), "x"), _list(f, _names("d", axes), ",")]
        if any(f.get(name, 0) for name in pad):
            parts.append(_list(f, pad, ","))
        if dilation:
            parts.append(_list(f, _names("dilation", axes), ",", 1))
        return f"({', '.join(parts)})"

    return row


def _sizes(separator: str) -> Row:
    return lambda f: f"({separator.join(str(int(n)) for n in np.asarray(f['size']).reshape(-1)[:64])})"


def _batch_normalization(dimensions: int) -> Row:
    return lambda f: f" ({dimensions}D) ({f['running_mean'].size})"


def _upsampling(f: Fields) -> str:
    if f.get("scale_factor") is not None:
        return f"({f['scale_factor']:d}x, {f['mode']})"
    sizes = [str(f[name]) for name in ("odepth", "oheight", "owidth") if name in f]
    return f"({'x'.join(sizes)}, {f['mode']})"


def _padding(*shown: str) -> Row:
    return lambda f: "(" + ", ".join(f"{name.split('_')[1]}={f[name]}" for name in shown) + ")"


# By class, in the package nn; classes of the same name in other packages (cudnn) print the same.
ROWS: dict[str, Row] = {
    "nn.Linear": _linear("weight"),
    "nn.LinearWeightNorm": _linear("v"),
    "nn.PartialLinear": lambda f: f"({f['inputsize']} -> {f['outputsize']}){_without_bias(f)}",
    "nn.SpatialConvolution": _convolution("WH"),
    "nn.SpatialConvolutionMM": _convolution("WH"),
    "nn.SpatialDepthWiseConvolution": _convolution("WH"),
    "nn.SpatialDilatedConvolution": _convolution("WH", dilation=True),
    "nn.SpatialFullConvolution": _convolution("WH", full=True),
    "nn.VolumetricConvolution": _convolution("TWH"),
    "nn.VolumetricDilatedConvolution": _convolution("TWH", dilation=True),
    "nn.VolumetricFullConvolution": _convolution("TWH", full=True),
    "nn.SpatialMaxPooling": _pooling("WH"),
    "nn.SpatialAveragePooling": _pooling("WH"),
    "nn.SpatialDilatedMaxPooling": _pooling("WH", dilation=True),
    "nn.VolumetricMaxPooling": _pooling("TWH"),
    "nn.VolumetricAveragePooling": _pooling("TWH"),
    "nn.VolumetricDilatedMaxPooling": _pooling("TWH", dilation=True),
    "nn.BatchNormalization": _batch_normalization(2),
    "nn.SpatialBatchNormalization": _batch_normalization(4),
    "nn.VolumetricBatchNormalization": _batch_normalization(5),
    **dict.fromkeys(("nn.Dropout", "nn.SpatialDropout", "nn.VolumetricDropout"), lambda f: f"({f['p']:f})"),
    "nn.Reshape": _sizes("x"),
    "nn.View": _sizes(", "),
    "nn.Normalize": lambda f: f"({f['p']:d})" if isinstance(f["p"], int) else f"({f['p']:f})",
    "nn.Unsqueeze": lambda f: f"(dim {f['pos']})",
    "nn.SelectTable": lambda f: f"({f['index']})",
    "nn.ELU": lambda f: f" (alpha:{f['alpha']:f})",
    "nn.RReLU": lambda f: f" (l:{f['lower']:f}, u:{f['upper']:f})",
    "nn.LeakyReLU": lambda f: f"({f['negval']:g})",
    "nn.UpSampling": _upsampling,
    "nn.SpatialZeroPadding": _padding("pad_l", "pad_r", "pad_t", "pad_b"),
    "nn.SpatialReflectionPadding": _padding("pad_l", "pad_r", "pad_t", "pad_b"),
    "nn.SpatialReplicationPadding": _padding("pad_l", "pad_r", "pad_t", "pad_b"),
}
