"""ONNX models (``.onnx``) from networks: written, checked, run, and compared with t7."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from t7shell.convert import ConvertError, Options
from t7shell.convert.comparison import Difference, compare, outputs_of, random_inputs
from t7shell.convert.graph import Graph, Node, Value
from t7shell.convert.network import trace_file
from t7shell.core import encoding
from t7shell.core.atomic_write import replacing_path
from t7shell.core.errors import T7Error

OPSET = 18
MISSING = "onnx and onnxruntime are missing; `pip install 't7shell[onnx]'` brings them"
# Largest difference from t7 relative to the largest output, for float and for half.
TOLERANCE, HALF_TOLERANCE = 1e-4, 2e-2
_LARGEST = 2**31 - 2**20  # bytes of a protobuf message

# Numbers of fields: of a model, of a graph and of a tensor.
_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9

# Attributes of the graph that are inputs of the operator, in this order.
_AS_INPUTS = {
    "Reshape": ("shape",),
    "Expand": ("shape",),
    "Slice": ("starts", "ends", "axes"),
    "Pad": ("pads", "value"),
    "Clip": ("min", "max"),
    **dict.fromkeys(("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"), ("axes",)),
}
_RESIZE: dict[str, dict[str, str]] = {
    "nearest": {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"},
    "linear": {"mode": "linear", "coordinate_transformation_mode": "align_corners"},
}


def write(source: str, target: str, options: Options) -> None:
    """Writes the network of a ``.t7`` file as an ONNX model; prints how far its results are from those of t7.

    Raises ConvertError where a module cannot be converted, and where results differ; then no file is left.
    """
    graph, difference, size = _write(source, target, options)
    fixed = f"; all sizes are fixed ({graph.fixed})" if graph.fixed else ""
    text = f"{target}: {len(graph.nodes)} operators, {size} bytes; {difference}{fixed}\n"
    encoding.write(text, sys.stdout)


def export(source: str, target: str, shapes: str) -> tuple[Any, ...]:
    """As `write`, for Lua: returns the differences from t7, or None and a message."""
    inputs = tuple(tuple(map(int, shape.split("x"))) for shape in shapes.split())
    source, target = (os.fsdecode(path.encode("latin-1")) for path in (source, target))
    try:
        return tuple(_write(source, target, Options(inputs))[1])
    except (OSError, T7Error, ValueError, MemoryError) as reason:
        return None, encoding.to_bytes(str(reason) or "out of memory").decode("latin-1")


def _write(source: str, target: str, options: Options) -> tuple[Graph, Difference, int]:
    graph = trace_file(source, options.inputs)
    with replacing_path(target) as temporary:
        save(graph, temporary, options.half)
        inputs = random_inputs(graph)
        found = run(temporary, inputs)
        tolerance = HALF_TOLERANCE if options.half else TOLERANCE
        difference = compare(outputs_of(source, graph, inputs), found, tolerance)
        return graph, difference, os.path.getsize(temporary)


def _libraries() -> tuple[Any, Any]:
    try:
        import onnx
        import onnxruntime
    except ImportError:
        raise ConvertError(MISSING) from None
    return onnx, onnxruntime


def save(graph: Graph, path: str, half: bool = False) -> None:
    """Writes a graph to a file, which onnx.checker then reads. Raises ConvertError."""
    onnx, _ = _libraries()
    writer = _Writer(onnx, half)
    with open(path, "wb") as file:
        writer.write(graph, file)
    try:
        onnx.checker.check_model(path)
    except onnx.checker.ValidationError as reason:
        raise ConvertError(f"the model is not valid: {str(reason).splitlines()[0]}") from None


def run(path: str, inputs: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Runs a model on arrays, which are converted to the types of its inputs. Raises ConvertError."""
    _, onnxruntime = _libraries()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        types = {"tensor(float16)": np.float16, "tensor(int64)": np.int64}
        given = {
            x.name: array.astype(types.get(x.type, np.float32))
            for x, array in zip(session.get_inputs(), inputs, strict=True)
        }
        return [np.asarray(y) for y in session.run(None, given)]
    except Exception as reason:  # its exceptions have no common base but this one
        raise ConvertError(f"onnxruntime: {str(reason).splitlines()[0]}") from None


def _key(field: int, size: int) -> bytes:
    """Returns what precedes the bytes of a field of a protobuf message."""
    found = [field << 3 | 2]
    while size > 127:
        found.append(size & 127 | 128)
        size >>= 7
    return bytes([*found, size])


class _Writer:
    """Makes the messages of a model from a graph."""

    def __init__(self, onnx: Any, half: bool) -> None:
        self.onnx, self.proto = onnx, onnx.TensorProto
        self.types = {
            "float": self.proto.FLOAT16 if half else self.proto.FLOAT,
            "int64": self.proto.INT64,
            "bool": self.proto.BOOL,
        }
        self.float = np.dtype(np.float16 if half else np.float32)
        self.constants: dict[Any, Any] = {}

    def write(self, graph: Graph, file: BinaryIO) -> None:
        """Writes the model of a graph."""
        helper = self.onnx.helper
        ends = []
        for i, x in enumerate(graph.outputs, 1):
            # Outputs have names of their own, also where they are inputs, or twice the same.
            output = Value(
                f"output_{i}" if len(graph.outputs) > 1 else "output", x.shape, x.dtype, free=x.free
            )
            ends.append(Node("Identity", [x], output, {}, "", "output"))
        nodes = [self._node(node) for node in [*graph.nodes, *ends]]
        message = helper.make_graph(
            nodes, "network", [self._info(x) for x in graph.inputs], [self._info(end.output) for end in ends]
        )
        head = helper.make_model(
            helper.make_graph([], "", [], []), opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8,
            producer_name="t7shell",
        )  # fmt: skip
        head.ClearField("graph")
        self._stream(head.SerializeToString(), message.SerializeToString(), file)

    def _stream(self, head: bytes, graph: bytes, file: BinaryIO) -> None:
        """Writes the model with its constants behind each other.

        The library would copy all parameters several times. A message may come in pieces, so the graph
        without constants and each constant are written as they are.
        """
        tensors = []
        size = len(graph)
        for tensor, array in self.constants.values():
            begin = tensor.SerializeToString() + _key(_RAW_DATA, array.nbytes)
            key = _key(_INITIALIZER, len(begin) + array.nbytes)
            tensors.append((key + begin, array))
            size += len(key) + len(begin) + array.nbytes
        if size > _LARGEST:
            raise ConvertError(f"a model of {size} bytes: an ONNX file holds at most 2 GB")
        file.write(head + _key(_GRAPH, size) + graph)
        for begin, array in tensors:
            file.write(begin)
            file.write(array.data if array.ndim else array.tobytes())

    def _info(self, x: Value) -> Any:
        sizes = [
            "batch" if d in x.free and d == 0 else None if d in x.free else n for d, n in enumerate(x.shape)
        ]
        return self.onnx.helper.make_tensor_value_info(x.name, self.types[x.dtype], sizes)

    def _node(self, node: Node) -> Any:
        attributes = dict(node.attributes)
        inputs = [self._name(x) for x in node.inputs]
        if node.op == "Resize":
            sizes = attributes.pop("sizes")
            attributes = {**_RESIZE[attributes["mode"]], "axes": list(range(2, 2 + len(sizes)))}
            inputs += ["", "", self._list(sizes)]
        if node.op == "Pad" and attributes["mode"] != "constant":
            del attributes["value"]
        for key in _AS_INPUTS.get(node.op, ()):
            if key in attributes:
                inputs.append(self._list(attributes.pop(key)))
        if node.op == "Cast":
            attributes["to"] = self.types[attributes["to"]]
        return self.onnx.helper.make_node(
            node.op, inputs, [node.output.name], name=node.output.name, **attributes
        )

    def _name(self, x: Value | None) -> str:
        if x is None:
            return ""
        if x.data is not None and id(x) not in self.constants:
            self.constants[id(x)] = self._tensor(x.name, x.data, x.dtype)
        return x.name

    def _list(self, value: Any) -> str:
        """Returns the name of a constant for whole numbers, or for one number."""
        dtype = "float" if isinstance(value, float) else "int64"
        name = "_".join(["constant", *map(str, value)]) if isinstance(value, list) else f"constant_{value}"
        if name not in self.constants:
            self.constants[name] = self._tensor(name, np.asarray(value), dtype)
        return name

    def _tensor(self, name: str, data: Any, dtype: str) -> tuple[Any, Any]:
        """Returns the message of a constant without its elements, and these."""
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(data, dtype=self.float if dtype == "float" else np.int64)
        array = array.reshape(np.shape(data))
        return self.proto(name=name, data_type=self.types[dtype], dims=array.shape), array
