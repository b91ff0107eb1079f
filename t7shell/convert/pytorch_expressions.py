"""Expressions of PyTorch for the operators of a graph.

A row of `EXPRESSIONS` makes one from a node and the names of its inputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from t7shell.convert import ConvertError
from t7shell.convert.graph import END, Node
from t7shell.convert.layers.pooling import LOWEST

Attributes = dict[str, Any]


def literal(value: Any) -> str:
    """Returns a number, or a list of numbers, in Python. Raises ConvertError for anything else."""
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ConvertError(f"expected a number (got {value!r})")
    return repr(value) if math.isfinite(value) else f'float("{value}")'


def sizes(values: Sequence[int]) -> str:
    """Sizes of dimensions, as one number where all are the same."""
    return literal(values[0] if len(set(values)) == 1 else list(values))


def _binary(sign: str) -> Callable[[list[str], Node], str]:
    return lambda x, node: f"{x[0]} {sign} {x[1]}"


def _call(text: str) -> Callable[[list[str], Node], str]:
    """A call; {x} stands for the first input, {name} for an attribute."""
    return lambda x, node: text.format(
        *x,
        **{
            key: value if isinstance(value, str) else literal(value) for key, value in node.attributes.items()
        },
    )


def _slice(x: list[str], node: Node) -> str:
    (axis,), (start,), (end,) = (node.attributes[key] for key in ("axes", "starts", "ends"))
    return f"{x[0]}[{':, ' * axis}{literal(start) if start else ''}:{literal(end) if end != END else ''}]"


def _reduce(name: str) -> Callable[[list[str], Node], str]:
    return lambda x, node: f"{x[0]}.{name}({literal(node.attributes['axes'][0])}{_keep(node)})"


def _keep(node: Node) -> str:
    return ", keepdim=True" if node.attributes["keepdims"] else ""


def _pad(x: list[str], node: Node) -> str:
    pads, n, mode = node.attributes["pads"], rank(node), node.attributes["mode"]
    pairs = list(zip(pads[:n], pads[n:], strict=True))
    while mode == "constant" and pairs[0] == (0, 0):
        pairs.pop(0)
    if mode != "constant":
        pairs = pairs[2:]
    listed = [size for pair in reversed(pairs) for size in pair]
    if mode == "constant":
        value = node.attributes["value"]
        return f"F.pad({x[0]}, {literal(listed)}{f', value={literal(value)}' if value else ''})"
    return f'F.pad({x[0]}, {literal(listed)}, mode="{"reflect" if mode == "reflect" else "replicate"}")'


def rank(node: Node) -> int:
    first = node.inputs[0]
    assert first is not None
    return first.rank


def _max_pool(x: list[str], node: Node) -> str:
    a, n, first = node.attributes, rank(node) - 2, node.inputs[0]
    assert first is not None
    low, high = a["pads"][:n], a["pads"][n:]
    source, ceil = x[0], False
    if low != high:
        ceil = all(node.output.shape[2 + d] == _ceiled(first.shape[2 + d], a, d, low[d]) for d in range(n))
        if not ceil:
            listed = [size for pair in zip(reversed(low), reversed(high), strict=True) for size in pair]
            source, low = f"F.pad({source}, {literal(listed)}, value={literal(LOWEST)})", [0] * n
    words = [source, sizes(a["kernel_shape"]), sizes(a["strides"])]
    words += [f"padding={sizes(low)}"] if any(low) else []
    words += [f"dilation={sizes(a['dilations'])}"] if set(a["dilations"]) != {1} else []
    words += ["ceil_mode=True"] if ceil else []
    return f"F.max_pool{n}d({', '.join(words)})"


def _ceiled(size: int, a: Attributes, d: int, pad: int) -> int:
    """Returns the output size of PyTorch's pooling in ceil mode."""
    stride = a["strides"][d]
    out = math.ceil((size + 2 * pad - a["dilations"][d] * (a["kernel_shape"][d] - 1) - 1) / stride) + 1
    return int(out - 1 if (out - 1) * stride >= size + pad else out)


def _avg_pool(x: list[str], node: Node) -> str:
    a, n = node.attributes, rank(node) - 2
    words = [x[0], sizes(a["kernel_shape"]), sizes(a["strides"])]
    if any(a["pads"]):
        words.append(f"padding={sizes(a['pads'][:n])}")
        words += [] if a["count_include_pad"] else ["count_include_pad=False"]
    return f"F.avg_pool{n}d({', '.join(words)})"


def _resize(x: list[str], node: Node) -> str:
    mode = node.attributes["mode"]
    words = (
        '"nearest"'
        if mode == "nearest"
        else f'"{"tri" if rank(node) == 5 else "bi"}linear", align_corners=True'
    )
    return f"F.interpolate({x[0]}, size={literal(node.attributes['sizes'])}, mode={words})"


EXPRESSIONS: dict[str, Callable[[list[str], Node], str]] = {
    "Abs": _call("{0}.abs()"),
    "Add": _binary("+"),
    "ArgMax": lambda x, node: f"{x[0]}.argmax({literal(node.attributes['axis'])}{_keep(node)})",
    "AveragePool": _avg_pool,
    "Cast": lambda x, node: f"{x[0]}.{'long' if node.attributes['to'] == 'int64' else 'float'}()",
    "Clip": _call("{0}.clamp({min}, {max})"),
    "Concat": lambda x, node: f"torch.cat([{', '.join(x)}], {literal(node.attributes['axis'])})",
    "DepthToSpace": _call("F.pixel_shuffle({0}, {blocksize})"),
    "Div": _binary("/"),
    "Einsum": lambda x, node: f'torch.einsum("{node.attributes["equation"]}", {", ".join(x)})',
    "Elu": _call("F.elu({0}, {alpha})"),
    "Equal": _binary("=="),
    "Exp": _call("{0}.exp()"),
    "Expand": lambda x, node: (
        f"{x[0]}.expand({', '.join('-1' if n == 1 else literal(n) for n in node.attributes['shape'])})"
    ),
    "Gather": _call("{0}.index_select({axis}, {1})"),
    "Greater": _binary(">"),
    "LRN": _call("F.local_response_norm({0}, {size}, alpha={alpha}, beta={beta}, k={bias})"),
    "LeakyRelu": _call("F.leaky_relu({0}, {alpha})"),
    "Less": _binary("<"),
    "Log": _call("{0}.log()"),
    "LogSoftmax": _call("F.log_softmax({0}, dim={axis})"),
    "MatMul": _binary("@"),
    "Max": _call("torch.maximum({0}, {1})"),
    "MaxPool": _max_pool,
    "Min": _call("torch.minimum({0}, {1})"),
    "Mul": _binary("*"),
    "Neg": lambda x, node: f"-{x[0]}",
    "Pad": _pad,
    "PRelu": _call("torch.where({0} > 0, {0}, {0} * {1})"),
    "Pow": _binary("**"),
    "ReduceMax": _reduce("amax"),
    "ReduceMean": _reduce("mean"),
    "ReduceMin": _reduce("amin"),
    "ReduceSum": _reduce("sum"),
    "Relu": _call("F.relu({0})"),
    "Reshape": lambda x, node: f"{x[0]}.reshape({', '.join(map(literal, node.attributes['shape']))})",
    "Resize": _resize,
    "Sigmoid": _call("torch.sigmoid({0})"),
    "Slice": _slice,
    "Softmax": _call("F.softmax({0}, dim={axis})"),
    "Softplus": _call("F.softplus({0})"),
    "Softsign": _call("F.softsign({0})"),
    "Sqrt": _call("{0}.sqrt()"),
    "Sub": _binary("-"),
    "Tanh": _call("torch.tanh({0})"),
    "Transpose": lambda x, node: f"{x[0]}.permute({', '.join(map(literal, node.attributes['perm']))})",
    "Where": _call("torch.where({0}, {1}, {2})"),
}
