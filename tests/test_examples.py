"""The examples run, and print the outputs in the files beside them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).resolve().parents[1]
# The modules that examples need beyond the dependencies.
NEEDS = {"digits_mpi": "mpi4py", "film": "imageio_ffmpeg"}
EXAMPLES = sorted((ROOT / "examples").glob("*.lua"))


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_example_prints_what_is_expected(t7: Run, path: Path, tmp_path: Path) -> None:
    if path.stem in NEEDS:
        pytest.importorskip(NEEDS[path.stem], reason=f"needs {NEEDS[path.stem]}")
    run = t7(str(path), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    errors = path.with_suffix(".err")
    assert run.stderr == (errors.read_text() if errors.exists() else "")
    assert run.stdout == path.with_suffix(".out").read_text()


def test_a_script_for_gpus_takes_both_ways(t7: Run, tmp_path: Path) -> None:
    script = str(ROOT / "examples" / "gpu_training.lua")
    on_cpu, without = t7(script, "-gpuid", "-1", cwd=tmp_path), t7("--no-cuda", script, cwd=tmp_path)
    assert on_cpu.stderr == without.stderr == ""
    assert on_cpu.stdout == "parameters: 899\nright on new pictures: more than 95%\n"
    missing = "package cunn not found!\npackage cutorch not found!\n"
    assert without.stdout == missing + on_cpu.stdout


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_python_in_documents_does_what_its_comments_say(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE)
    variables: dict[str, object] = {}
    compared = 0
    for line in re.findall(r"^(?:\S.*\n)(?:[ ]+.*\n|except.*\n)*", "".join(blocks), re.MULTILINE):
        source, _, wanted = line.strip().rpartition("  # ")
        if re.fullmatch(r"[-\d.\[\], ]+", wanted) and "=" not in source:
            value = eval(source, variables)
            assert getattr(value, "tolist", lambda value=value: value)() == eval(wanted), source
            compared += 1
        else:
            exec(line, variables)
            printed = capsys.readouterr().out.strip()
            if printed:
                assert printed == wanted.strip()
                compared += 1
    assert compared


def test_the_example_in_python_trains_a_network(tmp_path: Path) -> None:
    path = ROOT / "examples" / "fine_tune.py"
    command = [sys.executable, str(path)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert run.stdout == path.with_suffix(".out").read_text(), run.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.t7", "old.t7"]


def test_there_are_examples() -> None:
    assert EXAMPLES
