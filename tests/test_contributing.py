"""The worked example of CONTRIBUTING.md: its row, put into the sources as told, does what is shown."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for word, block in found if word == language]


def test_the_row_makes_the_operation(tmp_path: Path) -> None:
    (row,) = blocks("lua")
    (transcript,) = [block for block in blocks("") if "cube" in block]
    for folder in ("lua", "t7shell"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    operations = tmp_path / "lua/torch/ops/math.lua"
    source = operations.read_text().rstrip()
    assert source.endswith("}")
    operations.write_text(f"{source[:-1]}{row}}}\n")
    program = """
import sys
from t7shell.engine import Engine
engine = Engine()
for line in sys.stdin.read().splitlines():
    text, result = engine.run_captured(line)
    print(line, text.rstrip() or result.message, sep="\\n")
"""
    inputs = [line[4:] for line in transcript.splitlines() if line.startswith("t7> ")]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-c", program]
    run = subprocess.run(
        command,
        input="\n".join(inputs),
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=True,
    )
    printed = [re.sub(r"^stdin:\d+: ", "...: ", line.rstrip()) for line in run.stdout.splitlines()]
    shown = [line.removeprefix("t7> ").rstrip() for line in transcript.splitlines()]
    assert [line for line in printed if line] == [line for line in shown if line]
