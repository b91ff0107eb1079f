"""Notebooks are run by nbconvert, of the formats of today and of the time of iTorch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbconvert", reason="needs nbconvert")

pytestmark = pytest.mark.slow

CELLS = [
    "require 'image'; require 'gnuplot'\nx = torch.range(1, 4):view(2, 2)\nprint('made')",
    "x * x",
    "itorch.image(image.scale(image.lena(), 32))",
    "gnuplot.plot(torch.range(1, 5), '-')",
]


def format_4() -> dict[str, Any]:
    cells = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": source}
        for source in CELLS
    ]
    metadata = {"kernelspec": {"name": "itorch", "display_name": "iTorch", "language": "lua"}}
    return {"nbformat": 4, "nbformat_minor": 2, "metadata": metadata, "cells": cells}


def format_3() -> dict[str, Any]:
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "language": "lua",
            "collapsed": False,
            "outputs": [],
            "input": source,
        }
        for source in CELLS
    ]
    metadata = {"language": "lua", "name": "old"}
    return {
        "nbformat": 3,
        "nbformat_minor": 0,
        "metadata": metadata,
        "worksheets": [{"cells": cells, "metadata": {}}],
    }


@pytest.mark.parametrize("notebook", [format_3(), format_4()], ids=["format 3", "format 4"])
def test_nbconvert_executes(kernels: Path, tmp_path: Path, notebook: dict[str, Any]) -> None:
    path = tmp_path / "made.ipynb"
    path.write_text(json.dumps(notebook))
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace", str(path)]
    run = subprocess.run(
        [*command, "--ExecutePreprocessor.kernel_name=itorch"], capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    outputs = [cell["outputs"] for cell in json.loads(path.read_text())["cells"]]
    assert "".join(outputs[0][0]["text"]) == "made\n"
    assert "".join(outputs[1][0]["data"]["text/plain"]).startswith("  7  10\n 15  22")
    assert "image/png" in outputs[2][0]["data"] and "image/png" in outputs[3][0]["data"]
