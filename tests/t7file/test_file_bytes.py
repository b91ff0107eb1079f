"""Files that another process cuts short while they are read: an error, and the process goes on."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import t7shell
from t7shell import t7file
from t7shell.t7file import Object, T7FileError
from t7shell.t7file.file_bytes import FileBytes

# Cuts the file when the first tensor is reached.
CUT = """
import os, sys
from t7shell.t7file.object_reader import ObjectReader
path, read = sys.argv[1], ObjectReader._tensor
def cut(self, *rest):
    os.truncate(path, 4096)
    return read(self, *rest)
ObjectReader._tensor = cut
"""
READ = {
    "load": "import t7shell; t7shell.load(path)",
    "b64": "import t7shell; t7shell.load(path, 'b64')",
    "inspect": "from t7shell.t7file.inspect import main; sys.exit(main([path]))",
    "convert": "from t7shell.convert.command import main; sys.exit(main([path, path + '.npz']))",
    "safetensors": "from t7shell.convert.command import main; sys.exit(main([path, path + '.safetensors']))",
    "onnx": "from t7shell.convert.command import main; sys.exit(main([path, path + '.onnx']))",
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("how", READ)
def test_a_file_that_is_cut_short(tmp_path: Path, how: str) -> None:
    path = tmp_path / "x.t7"
    linear = {"weight": np.ones((500, 300)), "bias": np.ones(500), "gradWeight": np.ones((500, 300))}
    t7file.save(Object("nn.Linear", linear), path)
    command = [sys.executable, "-c", CUT + READ[how], str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr[-1000:]
    assert f"{path}: the file became shorter while it was read" in done.stderr


def test_arrays_are_memory_of_their_own_unless_mapped(tmp_path: Path) -> None:
    path = tmp_path / "x.t7"
    values = np.arange(100_000.0)
    t7shell.save([values, values[:5]], path)
    large, small = t7shell.load(path)
    mapped = t7shell.load(path, mmap=True)[0]
    with open(path, "r+b") as file:
        file.write(b"\x01" * path.stat().st_size)
    assert np.array_equal(large, values) and np.array_equal(small, values[:5])
    assert not np.array_equal(mapped, values)


def test_pieces_are_those_of_the_whole() -> None:
    data = np.random.default_rng(1).bytes(300_000)
    pieces = FileBytes(io.BytesIO(data), "x")
    draw = np.random.default_rng(2)
    for _ in range(300):
        at, size = int(draw.integers(0, 299_000)), int(draw.integers(0, 70_000))
        assert pieces[at : at + size] == data[at : at + size]
        count = min(size, 300_000 - at) // 4
        found = pieces.elements(at, np.dtype("<i4"), count)
        assert np.array_equal(found, np.frombuffer(data, "<i4", count, at)) and found.flags.writeable
    with pytest.raises(T7FileError, match="became shorter"):
        pieces.elements(200_000, np.dtype("<i4"), 50_000)
