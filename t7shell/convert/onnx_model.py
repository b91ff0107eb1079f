"""ONNX models (``.onnx``) from networks: written, checked, run, and compared with t7."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from t7shell.convert import ConvertError, Options
from t7shell.convert.comparison import Difference, compare, outputs_of, random_inputs
from t7shell.convert.graph import Graph
from t7shell.convert.network import trace_file
from t7shell.convert.onnx_messages import Model, libraries
from t7shell.engine.errors import T7Error
from t7shell.host import encoding
from t7shell.host.atomic_write import replacing_path

# Largest difference from t7 relative to the largest output, for float and for half.
TOLERANCE, HALF_TOLERANCE = 1e-4, 2e-2
# Bytes of a protobuf message: the parameters of larger models are in a file next to the model.
_MAX_BYTES = 2**31 - 2**20


def write(source: str, target: str, options: Options) -> None:
    """Writes the network of a ``.t7`` file as an ONNX model; prints the difference of its results from those
    of t7.

    Raises ConvertError if a module cannot be converted, and if results differ; then no file is written.
    """
    graph, difference, sizes = _write(source, target, options)
    fixed = f"; all sizes are fixed ({graph.fixed})" if graph.fixed else ""
    names = " and ".join([target, _data_name(target)][: len(sizes)])
    text = f"{names}: {len(graph.nodes)} operators, {sum(sizes)} bytes; {difference}{fixed}\n"
    encoding.tell(text, sys.stdout)


def export(source: str, target: str, shapes: str) -> tuple[Any, ...]:
    """As `write`, for Lua: returns the differences from t7, or None and a message."""
    inputs = tuple(tuple(map(int, shape.split("x"))) for shape in shapes.split())
    source, target = (encoding.path_of(path) for path in (source, target))
    try:
        return tuple(_write(source, target, Options(inputs))[1])
    except (OSError, T7Error, ValueError, MemoryError) as reason:
        return None, encoding.to_bytes(str(reason) or "out of memory").decode("latin-1")


def _write(source: str, target: str, options: Options) -> tuple[Graph, Difference, list[int]]:
    """Returns the sizes of the files too, the model and, if there is one, that of its parameters."""
    graph = trace_file(source, options.inputs, options.key)
    model = Model(graph, options.half)
    with ExitStack() as files:
        temporary = files.enter_context(replacing_path(target))
        written = [temporary]
        if model.size > _MAX_BYTES:
            data = files.enter_context(replacing_path(_data_name(target)))
            written.append(data)
            model.write_data(data)
            model.write_beside(temporary, os.path.basename(data))
        else:
            model.write(temporary)
        model.check()
        inputs = random_inputs(graph)
        found = run(temporary, inputs)
        tolerance = HALF_TOLERANCE if options.half else TOLERANCE
        difference = compare(outputs_of(source, graph, inputs), found, tolerance)
        if len(written) > 1:
            # The file of parameters is renamed at the end of the block.
            model.write_beside(temporary, os.path.basename(_data_name(target)))
        return graph, difference, [os.path.getsize(path) for path in written]


def _data_name(target: str) -> str:
    return f"{target}.data"


def run(path: str, inputs: Sequence[np.ndarray[Any, Any]]) -> list[np.ndarray[Any, Any]]:
    """Runs a model on arrays, which are converted to the types of its inputs. Raises ConvertError."""
    _, onnxruntime = libraries()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    # Prepacking would copy parameters that are used once.
    options.add_session_config_entry("session.disable_prepacking", "1")
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
