"""matio against SciPy on the same files."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
from scipy.io import loadmat, savemat
from scipy.sparse import csc_matrix

from t7shell import Runtime


def run(source: str, **values: object) -> Runtime:
    runtime = Runtime()
    for name, value in values.items():
        runtime.globals()[name] = value
    runtime.execute("matio = require 'matio' " + source)
    return runtime


@pytest.fixture
def path(tmp_path: Path) -> str:
    cells = np.empty((1, 3), object)
    cells[0, :] = [np.ones((2, 2)), "word", np.array([[7.0]])]
    file = tmp_path / "data.mat"
    savemat(
        file,
        {
            "matrix": np.arange(6.0).reshape(2, 3),
            "cube": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
            "text": "hello é",
            "cells": cells,
            "record": {"name": "ann", "scores": np.array([1.0, 2.0])},
            "flag": True,
            "sparse": csc_matrix(np.diag([1.0, 2.0])),
            "complex": np.array([[1 + 2j]]),
        },
    )
    return str(file)


def test_all_variables(path: str) -> None:
    lua = run("t = matio.load(path)", path=path).globals()["t"]
    assert lua["matrix"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert lua["cube"].dtype == np.int16 and (lua["cube"] == np.arange(24).reshape(2, 3, 4)).all()
    assert lua["text"] == "hello é"
    assert (
        lua["cells"][1].tolist() == [[1, 1], [1, 1]]
        and lua["cells"][2] == "word"
        and lua["cells"][3].item() == 7
    )
    assert lua["record"]["name"] == "ann" and lua["record"]["scores"].ravel().tolist() == [1, 2]
    assert lua["flag"].item() == 1
    assert lua["sparse"].tolist() == [[1, 0], [0, 2]]
    assert (lua["complex"]["re"].item(), lua["complex"]["im"].item()) == (1, 2)


def test_variables_by_name(path: str) -> None:
    lua = run(
        "one = matio.load(path, 'matrix') two = matio.load(path, { 'text', 'flag' })", path=path
    ).globals()
    assert lua["one"].shape == (2, 3)
    assert set(lua["two"].to_dict()) == {"text", "flag"}


def test_what_is_written(tmp_path: Path) -> None:
    one, all_ = tmp_path / "one.mat", tmp_path / "all.mat"
    run(
        """
        matio.save(one, torch.range(1, 6):view(2, 3):t())
        matio.save(all, {
           vector = torch.FloatTensor{1, 2, 3}, bytes = torch.ByteTensor{{1, 2}}, text = 'abc', number = 2.5,
           cells = { torch.ones(1, 2), 'x' }, record = { a = torch.ones(1), b = { c = 'deep' } },
        })
        """,
        one=str(one),
        all=str(all_),
    )
    assert loadmat(one)["x"].tolist() == [[1, 4], [2, 5], [3, 6]]
    found = loadmat(all_, simplify_cells=True)
    assert loadmat(all_)["vector"].shape == (3, 1) and found["vector"].dtype == np.float32
    assert found["bytes"].dtype == np.uint8 and found["text"] == "abc" and found["number"] == 2.5
    assert found["cells"][1] == "x" and found["record"]["b"]["c"] == "deep"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("load('/no/such.mat')", "matio.load: /no/such.mat: No such file or directory"),
        ("load(path, { 1 })", "matio.load: name 1 must be a string (got 1)"),
        ("load(text)", "matio.load: "),
        ("save(path, print)", "matio.save: argument 2 must be a table"),
        ("save(text, { a = print })", "values must be tensors, tables, strings or numbers (got function)"),
        ("save(text, { a = loop })", "nested at most 100 deep"),
    ],
)
def test_wrong_calls(path: str, tmp_path: Path, call: str, message: str) -> None:
    text = tmp_path / "text.mat"
    text.write_text("no matrices here")
    lua = run(
        f"loop = {{}} loop.x = loop _, why = pcall(function() matio.{call} end)", path=path, text=str(text)
    ).globals()
    assert message in lua["why"]


def test_what_the_file_has_not_is_nil(path: str) -> None:
    source = "one, two = matio.load(path, 'other'), matio.load(path, {'other', 'cells'}) gone = one == nil"
    found = run(source, path=path).globals()
    assert found["gone"] is True
    assert list(found["two"].keys()) == ["cells"]


def test_cells_without_end(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SciPy reads all cells that a damaged file claims to have; here it waits for something else."""
    from t7shell.packages.matio import files

    monkeypatch.setattr(files, "loadmat", lambda *_, **__: threading.Event().wait())
    monkeypatch.setattr(files, "_TIMEOUT", 0.1)
    runtime = run("fine, why = pcall(matio.load, path)", path=path)
    assert "data.mat: the file is damaged: reading it took more than" in runtime.eval("why")
