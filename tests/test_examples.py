"""The examples run, and print what is written beside them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.lua"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: str(path.stem))
def test_example_prints_what_is_expected(t7: Run, path: Path, tmp_path: Path) -> None:
    run = t7(str(path), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    assert run.stdout == path.with_suffix(".out").read_text()


def test_there_are_examples() -> None:
    assert EXAMPLES
