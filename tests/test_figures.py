"""README.md and docs/compare.md show the measurements of benchmarks/figures.tsv."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
PROGRAM = ROOT / "benchmarks" / "figures.py"
if not PROGRAM.exists():
    pytest.skip("needs a checkout", allow_module_level=True)


@pytest.fixture(scope="module")
def figures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", PROGRAM)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["figures"] = module
    spec.loader.exec_module(module)
    return module


def test_the_documents_have_the_figures(figures: ModuleType) -> None:
    for path, text in figures.texts().items():
        assert path.read_text("utf-8") == text, "python3 benchmarks/figures.py writes it"


def test_the_documents_name_machine_and_commit(figures: ModuleType) -> None:
    about, rows = figures.read()
    text = " ".join((ROOT / "docs/compare.md").read_text("utf-8").split())
    assert f"`{about['commit']}`" in text and about["machine"] in text and about["date"] in text
    assert all(f"| {row.label} |" in text for row in rows)


def test_outputs_of_benchmarks_replace_the_times(figures: ModuleType, tmp_path: Path) -> None:
    programs, pytorch = tmp_path / "programs.txt", tmp_path / "pytorch.txt"
    programs.write_text("program  least  median\nkmeans      3.54     4.00     5.73    1.62\n")
    pytorch.write_text(
        "LeNet, batch 32   100.0   300.0  250.0  2.50\n7 rows, the least ratio 0.42, geometric mean 1.70\n"
    )
    about, rows = figures.read()
    figures.update(about, rows, programs, pytorch)
    found = {row.label: row for row in rows}
    assert found["k-means"].ours == [4.0] and found["k-means"].theirs == [47.0]
    assert found["LeNet, batch 32, a step"].ratios() == [2.5]
    assert about["rows"] == "7" and about["mean"] == "1.70"


def test_the_table_beside_numpy_starts() -> None:
    pytest.importorskip("h5py", reason="h5py is not installed")
    program = [sys.executable, ROOT / "benchmarks" / "run.py", "no such row"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.returncode == 0 and done.stdout.startswith("group"), done.stderr
