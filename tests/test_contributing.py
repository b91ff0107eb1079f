"""The worked example of CONTRIBUTING.md: its row, added to the sources, has the shown results."""

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


PROGRAM = """
import sys
from t7shell.core.engine import Engine
engine = Engine()
for line in sys.stdin.read().splitlines():
    text, result = engine.run_captured(line)
    print(line, text.rstrip() or result.message, sep="\\n")
"""


def run(transcript: str, folder: Path) -> list[str]:
    """The inputs of a transcript, each followed by its output with the sources in a folder."""
    inputs = [line[4:] for line in transcript.splitlines() if line.startswith("t7> ")]
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input="\n".join(inputs),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        check=True,
    )
    printed = [re.sub(r"^stdin:\d+: ", "[1]:1: ", line.rstrip()) for line in result.stdout.splitlines()]
    return [line for line in printed if line]


def lines(transcript: str) -> list[str]:
    found = [line.removeprefix("t7> ").rstrip() for line in transcript.splitlines()]
    return [line for line in found if line]


def test_the_row_makes_the_operation(tmp_path: Path) -> None:
    row = blocks("lua")[0]
    (transcript,) = [block for block in blocks("") if "cube" in block]
    for folder in ("lua", "t7shell"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    operations = tmp_path / "lua/torch/ops/math.lua"
    source = operations.read_text().rstrip()
    assert source.endswith("}")
    operations.write_text(f"{source[:-1]}{row}}}\n")
    assert run(transcript, tmp_path) == lines(transcript)


def test_operations_of_no_package() -> None:
    (transcript,) = [block for block in blocks("") if "Tanh" in block]
    assert run(transcript, ROOT) == lines(transcript)


def test_the_modules_that_a_package_uses_exist() -> None:
    named = re.findall(r"^\| `(torch\.[\w.]+)` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    assert len(named) > 5
    assert all((ROOT / "lua" / f"{name.replace('.', '/')}.lua").exists() for name in named)
