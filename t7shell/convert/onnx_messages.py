"""The messages of ONNX models: graphs as protobuf has them, whose constants are written one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph, Node, Value

OPSET = 18
MISSING = "onnx and onnxruntime are missing; `pip install onnx onnxruntime` installs them"
_ALIGNMENT = 4096  # of parameters in a separate file, for programs that map it
_SMALL = 1024  # bytes of a constant that is always in the model file, as shapes of operators must be

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


def libraries() -> tuple[Any, Any]:
    """The modules onnx and onnxruntime. Raises ConvertError."""
    try:
        import onnx
        import onnxruntime
    except ImportError:
        raise ConvertError(MISSING) from None
    return onnx, onnxruntime


def _key(field: int, size: int) -> bytes:
    """Returns the key and the length that precede the bytes of a field of a protobuf message."""
    found = [field << 3 | 2]
    while size > 127:
        found.append(size & 127 | 128)
        size >>= 7
    return bytes([*found, size])


@dataclass
class _Constant:
    """A constant: its message without elements, these, and their type in the file."""

    tensor: Any
    data: Any
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        return int(math.prod(np.shape(self.data)) * self.dtype.itemsize)

    def elements(self) -> np.ndarray[Any, Any]:
        """The bytes of the elements in the file."""
        with np.errstate(over="ignore"):
            array = np.ascontiguousarray(self.data, dtype=self.dtype)
        return array.reshape(-1).view(np.uint8)


class Model:
    """The messages of a model. Constants are written one by one, without conversion.

    The library would copy all parameters several times. A message may be written in pieces, so the graph
    without constants is followed by each constant.
    """

    def __init__(self, graph: Graph, half: bool = False) -> None:
        onnx, _ = libraries()
        self.onnx, self.proto = onnx, onnx.TensorProto
        self.types = {
            "float": self.proto.FLOAT16 if half else self.proto.FLOAT,
            "int64": self.proto.INT64,
            "bool": self.proto.BOOL,
        }
        self.float = np.dtype(np.float16 if half else np.float32)
        self.constants: dict[Any, _Constant] = {}
        helper = onnx.helper
        ends = []
        for i, x in enumerate(graph.outputs, 1):
            # Outputs need distinct names, even if they are inputs or occur twice.
            output = Value(
                f"output_{i}" if len(graph.outputs) > 1 else "output", x.shape, x.dtype, free=x.free
            )
            ends.append(Node("Identity", [x], output, {}, "", "output"))
        nodes = [self._node(node) for node in [*graph.nodes, *ends]]
        self.graph = helper.make_graph(
            nodes, "network", [self._info(x) for x in graph.inputs], [self._info(end.output) for end in ends]
        )
        self.head = helper.make_model(
            helper.make_graph([], "", [], []), opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8,
            producer_name="t7shell",
        )  # fmt: skip
        self.head.ClearField("graph")

    @property
    def size(self) -> int:
        """About the size of the model in one file."""
        return int(self.graph.ByteSize()) + sum(x.nbytes + 256 for x in self.constants.values())

    def check(self) -> None:
        """Runs onnx.checker on the model. Raises ConvertError.

        Large constants are replaced by inputs of the same name, type and shape, since it would copy their
        elements.
        """
        model = self._small()
        for constant in self._large():
            tensor = constant.tensor
            info = self.onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            model.graph.input.append(info)
        try:
            self.onnx.checker.check_model(model)
        except self.onnx.checker.ValidationError as reason:
            raise ConvertError(f"the model is not valid: {str(reason).splitlines()[0]}") from None

    def _small(self) -> Any:
        """The model with its small constants."""
        model = self.onnx.ModelProto()
        model.CopyFrom(self.head)
        model.graph.CopyFrom(self.graph)
        for constant in self.constants.values():
            if constant.nbytes <= _SMALL:
                model.graph.initializer.append(constant.tensor)
                model.graph.initializer[-1].raw_data = constant.elements().tobytes()
        return model

    def _large(self) -> list[_Constant]:
        return [constant for constant in self.constants.values() if constant.nbytes > _SMALL]

    def write(self, path: str) -> None:
        """Writes the model to one file."""
        graph = self.graph.SerializeToString()
        tensors = []
        size = len(graph)
        for constant in self.constants.values():
            begin = constant.tensor.SerializeToString() + _key(_RAW_DATA, constant.nbytes)
            key = _key(_INITIALIZER, len(begin) + constant.nbytes)
            tensors.append((key + begin, constant))
            size += len(key) + len(begin) + constant.nbytes
        with open(path, "wb") as file:
            file.write(self.head.SerializeToString() + _key(_GRAPH, size) + graph)
            for begin, constant in tensors:
                file.write(begin)
                file.write(constant.elements().data)

    def write_data(self, path: str) -> None:
        """Writes the elements of the large constants."""
        with open(path, "wb") as file:
            for constant, offset in self._offsets():
                file.write(bytes(offset - file.tell()))
                file.write(constant.elements().data)

    def write_beside(self, path: str, location: str) -> None:
        """Writes the model without the elements that `write_data` wrote to `location` in its folder."""
        model = self._small()
        for constant, offset in self._offsets():
            tensor = model.graph.initializer.add()
            tensor.CopyFrom(constant.tensor)
            tensor.data_location = self.proto.EXTERNAL
            entries = {"location": location, "offset": offset, "length": constant.nbytes}
            for key, value in entries.items():
                tensor.external_data.add(key=key, value=str(value))
        with open(path, "wb") as file:
            file.write(model.SerializeToString())

    def _offsets(self) -> Iterator[tuple[_Constant, int]]:
        """The large constants, and the offsets of their elements in the file of parameters."""
        end = 0
        for constant in self._large():
            offset = -(-end // _ALIGNMENT) * _ALIGNMENT
            yield constant, offset
            end = offset + constant.nbytes

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
        """Returns the name of a constant for integers, or for one number."""
        dtype = "float" if isinstance(value, float) else "int64"
        name = "_".join(["constant", *map(str, value)]) if isinstance(value, list) else f"constant_{value}"
        if name not in self.constants:
            self.constants[name] = self._tensor(name, np.asarray(value), dtype)
        return name

    def _tensor(self, name: str, data: Any, dtype: str) -> _Constant:
        tensor = self.proto(name=name, data_type=self.types[dtype], dims=np.shape(data))
        return _Constant(tensor, data, self.float if dtype == "float" else np.dtype(np.int64))
