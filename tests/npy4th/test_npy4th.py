"""npy4th against NumPy on the same files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from t7shell import Runtime

TYPES = {
    "float64": "Double", "float32": "Float", "float16": "Half",
    "int64": "Long", "int32": "Int", "int16": "Short",
    "int8": "Char", "uint8": "Byte", "uint16": "Int",
    "uint32": "Long", "bool": "Byte", ">f4": "Float", ">i2": "Short",
}  # fmt: skip


def run(source: str, **values: object) -> Runtime:
    runtime = Runtime()
    for name, value in values.items():
        runtime.globals()[name] = value
    runtime.execute(source)
    return runtime


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_all_types(tmp_path: Path, dtype: str, order: str) -> None:
    array = np.asarray(
        np.arange(24).reshape(2, 3, 4) % 2 if dtype == "bool" else np.arange(24).reshape(2, 3, 4)
    )
    path = tmp_path / "a.npy"
    np.save(path, np.asarray(array.astype(dtype), order=order))
    lua = run("x = require 'npy4th'.loadnpy(path) kind = x:type()", path=str(path)).globals()
    assert lua["kind"] == f"torch.{TYPES[dtype]}Tensor"
    assert (lua["x"] == array).all() and lua["x"].shape == (2, 3, 4)


@pytest.mark.parametrize("kind", ["Double", "Float", "Long", "Int", "Short", "Char", "Byte", "Half"])
def test_tensors_of_all_types(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.npy"
    part = f"torch.range(1, 12):view(3, 4):type('torch.{kind}Tensor'):t()[{{ {{2, 3}} }}]"
    source = f"require 'npy4th'.savenpy(path, {part})"
    run(source, path=str(path))
    saved = np.load(path)
    assert (saved == np.arange(1, 13).reshape(3, 4).T[1:3]).all()
    assert TYPES[saved.dtype.name] == kind


def test_archives(tmp_path: Path) -> None:
    path, again = tmp_path / "a.npz", tmp_path / "b.npz"
    np.savez(
        path, one=np.ones(3), two=np.zeros((2, 2), np.int32), empty=np.empty((0, 3)), scalar=np.float64(5)
    )
    lua = run(
        """
        local npy4th = require 'npy4th'
        t = npy4th.loadnpz(path)
        npy4th.savenpz(again, { a = t.one, b = t.two:t() })
        """,
        path=str(path),
        again=str(again),
    ).globals()
    assert lua["t"]["one"].tolist() == [1, 1, 1] and lua["t"]["two"].dtype == np.int32
    assert lua["t"]["empty"].size == 0 and lua["t"]["scalar"].tolist() == [5]
    saved = np.load(again)
    assert sorted(saved.files) == ["a", "b"] and saved["a"].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("loadnpy('/no/such.npy')", "loadnpy: /no/such.npy: No such file or directory"),
        ("loadnpy(5)", "loadnpy: path must be a string (got 5)"),
        ("savenpy(path, 5)", "savenpy: argument 2 must be a tensor (got 5)"),
        ("savenpz(path, { a = 'x' })", "savenpz: element a must be a tensor (got 'x')"),
        ("savenpy('/no/such/folder/x', torch.ones(1))", "No such file or directory"),
        ("loadnpy(objects)", "arrays of Python objects are not read"),
        ("loadnpy(text)", "neither a .npy nor a .npz file"),
        ("loadnpy(words)", "no tensor has elements of the type <U1"),
        ("loadnpy(cut)", "loadnpy: "),
        ("loadnpz(one)", "must be a file of several arrays (got one array: loadnpy reads it)"),
    ],
)
def test_wrong_calls(tmp_path: Path, call: str, message: str) -> None:
    files = ("path", "objects", "words", "cut", "one", "text")
    names = {name: str(tmp_path / f"{name}.npy") for name in files}
    Path(names["text"]).write_text("1 2 3")
    np.save(names["objects"], np.array([{}], object))
    np.save(names["words"], np.array(["a"]))
    np.save(names["one"], np.ones(3))
    Path(names["cut"]).write_bytes(Path(names["one"]).read_bytes()[:-5])
    lua = run(f"_, why = pcall(function() require 'npy4th'.{call} end)", **names)
    assert message in lua.globals()["why"]
