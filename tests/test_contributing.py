"""The worked examples of CONTRIBUTING.md, added to the sources, have the shown results and pass the tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for word, block in found if word == language]


PROGRAM = """
import sys
from t7shell.engine.engine import Engine
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


# Where each example is pasted: before a line of a file, or as a new file.
PLACES = {
    "transfer_rows.Cube": ("lua/nn/transfer/transfer_rows.lua", "return transfer_rows\n"),
    "   { 'Cube'": ("lua/nn/transfer/init.lua", "   { 'Exp', 'Module'"),
    '    each("Cube()"': ("tests/nn/module_records.py", '    each("Exp()"'),
    '        "Cube"': ("t7shell/convert/layers/transfer.py", '        "Exp"'),
    "-- nn.Negate": ("lua/nn/simple/Negate.lua", ""),
    "   { 'Negate'": ("lua/nn/simple/init.lua", "   { 'Identity', 'Module'"),
    '    Module("Negate()"': ("tests/nn/module_records.py", '    Module("Linear(4, 3)"'),
    '        "Negate"': ("t7shell/convert/layers/transfer.py", '        "Exp"'),
    "   { 'cube', { '[r] t'": ("lua/torch/ops/math.lua", "}\n"),
    "   { 'cube', { 't', x =": ("lua/packages/autograd/derivatives/math.lua", "}\n"),
    "local garden": ("lua/packages/garden/init.lua", ""),
    "def test_cube": ("tests/torch/test_cube.py", ""),
}
CHAPTERS = "return {}\n"
TESTS = [
    "tests/nn/test_modules.py",
    "tests/convert/test_layers.py::test_every_module_is_supported_or_says_why",
    "tests/test_layers.py",
    "tests/test_reference.py::test_pages_are_up_to_date",
    "tests/torch/test_cube.py",
]


def paste(block: str, folder: Path) -> None:
    """Adds an example to the sources in a folder."""
    (start,) = [start for start in PLACES if block.startswith(start)]
    name, before = PLACES[start]
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    source = path.read_text() if before else ""
    at = source.rfind(before) if before in ("}\n", "return transfer_rows\n") else source.find(before)
    assert at >= 0, f"{name} has no {before}"
    path.write_text(source[:at] + block + source[at:])


@pytest.mark.slow
def test_all_examples_pass_the_tests_when_they_are_pasted(tmp_path: Path) -> None:
    """The operation, the package, the transfer function, the module, and their tests, records and rows."""
    for name in ("lua", "t7shell", "tests", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path / name)
    for block in [*blocks("lua"), *blocks("python")]:
        paste(block, tmp_path)
    (tmp_path / "lua/packages/garden/ops").mkdir()
    (tmp_path / "lua/packages/garden/ops/chapters.lua").write_text(CHAPTERS)

    def python(*command: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python("-m", "t7shell.cli.reference")
    words = "Cube or cube or Negate or supported or local or share or up_to_date"
    passed = python("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *TESTS, "-k", words)
    assert int(re.findall(r"(\d+) passed", passed)[0]) >= 9, passed
    assert python("-m", "t7shell", "-e", "print(type(require 'garden'))") == "table\n"
