"""The threads of the kernels, in a program of C."""

from __future__ import annotations

from pathlib import Path

from tests.native.c_programs import NEEDS_COMPILER, SANITIZERS, output


@NEEDS_COMPILER
@SANITIZERS
def test_every_unit_of_consecutive_jobs_runs_once(tmp_path: Path, sanitize: str) -> None:
    assert output(tmp_path, "parallel_for_jobs.c", "parallel_for.c", sanitize) == "each unit ran once\n"
