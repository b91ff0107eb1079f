"""The kernels, installed into a folder of the tests' own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ipykernel", reason="needs the extra notebook")

from t7shell.kernel import command


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Installs the kernels; the folder that they are in."""
    prefix = tmp_path_factory.mktemp("jupyter")
    before = os.environ.get("JUPYTER_PATH")
    assert command.main(["install", "--prefix", str(prefix)]) == 0
    os.environ["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    yield prefix / "share" / "jupyter" / "kernels"
    if before is None:
        del os.environ["JUPYTER_PATH"]
    else:
        os.environ["JUPYTER_PATH"] = before
