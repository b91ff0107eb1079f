"""mnist: files that are written here in the format of its authors."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from t7shell import LuaError, Runtime


def idx(values: Any) -> bytes:
    sizes = b"".join(size.to_bytes(4, "big") for size in values.shape)
    return bytes([0, 0, 8, values.ndim]) + sizes + values.tobytes()


def test_files(tmp_path: Path) -> None:
    images = np.random.default_rng(1).integers(0, 256, (5, 28, 28)).astype(np.uint8)
    labels = np.array([3, 1, 4, 1, 5], np.uint8)
    for prefix, pack in {"train": gzip.compress, "t10k": bytes}.items():
        ending = ".gz" if prefix == "train" else ""
        (tmp_path / f"{prefix}-images-idx3-ubyte{ending}").write_bytes(pack(idx(images)))
        (tmp_path / f"{prefix}-labels-idx1-ubyte{ending}").write_bytes(pack(idx(labels)))
    lua = Runtime()
    lua.globals()["folder"] = str(tmp_path)
    lua.execute("mnist = require 'mnist' a, b = mnist.traindataset(folder), mnist.testdataset(folder)")
    for name in "ab":
        assert (np.array(lua.eval(f"{name}.data")) == images).all()
        assert np.array(lua.eval(f"{name}.label")).tolist() == labels.tolist()
        assert lua.eval(f"{name}.size") == 5 and lua.eval(f"{name}.data:type()") == "torch.ByteTensor"
    (tmp_path / "t10k-labels-idx1-ubyte").write_bytes(idx(labels)[:-1])
    with pytest.raises(LuaError, match=r"expected 5 bytes of elements \(got 4\)"):
        lua.execute("mnist.testdataset(folder)")
    (tmp_path / "t10k-labels-idx1-ubyte").write_bytes(b"text")
    with pytest.raises(LuaError, match="not a file of the format idx"):
        lua.execute("mnist.testdataset(folder)")


def test_without_files(tmp_path: Path) -> None:
    lua = Runtime()
    lua.globals()["folder"] = str(tmp_path)
    with pytest.raises(LuaError) as caught:
        lua.execute("require('mnist').traindataset(folder)")
    assert f"train-images-idx3-ubyte.gz is not in the folder {tmp_path}; https://" in str(caught.value)
