"""The types of the Python API, as mypy and pyright infer them for programs that use it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

PROGRAM = """
import numpy
import t7shell

with t7shell.Runtime() as lua:
    reveal_type(lua.eval("torch.ones(2)", numpy.ndarray))
    reveal_type(lua.eval("2 * 3", float))
    reveal_type(lua.eval("{1}", t7shell.LuaTable).to_list())
reveal_type(t7shell.load("weights.t7", expected=dict))
net = t7shell.load_model("net.t7")
reveal_type(net([[1.0, 2.0]]))
reveal_type(net.eval().forward(numpy.zeros(2)))
reveal_type(t7shell.load_model("pair.t7", output=list)(numpy.zeros(2)))
reveal_type(net.parameters()["1.weight"])
t7shell.save(net, "copy.t7")
"""

TYPES = ["ndarray", "float", "list", "dict", "ndarray", "ndarray", "list", "ndarray"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}


@pytest.mark.slow
def test_mypy_knows_the_types_of_results(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    revealed = re.findall(r'Revealed type is "(?:builtins\.|numpy\.)?(\w+)', done.stdout)
    assert (revealed, done.returncode) == (TYPES, 0), done.stdout


@pytest.mark.slow
def test_pyright_knows_them_too(tmp_path: Path) -> None:
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT)]}))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    if not done.stdout.startswith("{"):
        pytest.skip("pyright does not start here")
    report = json.loads(done.stdout)
    found = [item["message"] for item in report["generalDiagnostics"] if item["severity"] == "information"]
    assert [re.findall(r'is "(\w+)', text)[0] for text in found] == TYPES
    assert report["summary"]["errorCount"] == 0, report["generalDiagnostics"]
