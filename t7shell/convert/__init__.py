"""`t7 convert`: models to and from the formats of other libraries, one module for each.

A module of `WRITERS` has ``write(source, target, options)``, which converts the ``.t7`` file `source` and
writes `target` through `atomic_write.replacing_path`, so that no file is left after an error. A module of
`READERS` has ``read(path)``, the tensors of a file by name. Both raise T7Error, ValueError or OSError with
one sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from t7shell.engine.errors import T7Error
from t7shell.host.encoding import plain

# By the suffix of the file that is written from a .t7 file.
WRITERS = {
    ".npz": "t7shell.convert.npz",
    ".safetensors": "t7shell.convert.safetensors",
    ".onnx": "t7shell.convert.onnx_model",
    ".pt": "t7shell.convert.pytorch_state",
    ".py": "t7shell.convert.pytorch_source",
}

# By the suffix of the file from which tensors are read into a .t7 file.
READERS = {
    ".npz": "t7shell.convert.npz",
    ".safetensors": "t7shell.convert.safetensors",
    ".onnx": "t7shell.convert.onnx_weights",
}


class ConvertError(T7Error):
    """A file cannot be converted; names of the file in the message are escaped."""

    def __init__(self, message: str) -> None:
        super().__init__(plain(message))


@dataclass(frozen=True)
class Options:
    """Options of the command line: `inputs` are the shapes of ``--input``, `key` the path to a network."""

    inputs: tuple[tuple[int, ...], ...] = ()
    half: bool = False
    key: str | None = None
