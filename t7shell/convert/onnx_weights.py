"""The weights of an ONNX model: its initializers by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.state import bfloat16, checked
from t7shell.t7file.model import Array


def read(path: str) -> dict[str, Array]:
    """Reads the initializers; bfloat16 becomes float. External data is in a file next to the model."""
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError:
        raise ConvertError("reading .onnx needs onnx: python3 -m pip install onnx onnxruntime") from None
    try:
        model = onnx.load(path, format="protobuf")
        found = {tensor.name: _array(tensor, onnx, numpy_helper) for tensor in model.graph.initializer}
    except OSError:
        raise
    except Exception as reason:  # protobuf raises its own errors
        raise ConvertError(f"{path}: not an ONNX model: {reason or 'it is damaged'}") from None
    if not found:
        raise ConvertError(f"{path}: no initializers in this model")
    return checked(found, path)


def _array(tensor: Any, onnx: Any, numpy_helper: Any) -> Array:
    array: Array = numpy_helper.to_array(tensor)
    if tensor.data_type == onnx.TensorProto.BFLOAT16:
        return array.astype(np.float32) if array.dtype != np.uint16 else bfloat16(array)
    return array
