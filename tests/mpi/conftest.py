"""`mpiexec -n N t7 ...`, where an MPI is installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from t7shell.packages.mpi import library

Run = Callable[..., "subprocess.CompletedProcess[str]"]
LAUNCHER = library.wheel_file("mpiexec") or shutil.which("mpiexec")


@pytest.fixture(scope="session")
def mpiexec() -> Run:
    """Runs a script with N ranks: mpiexec(2, "print(1)")."""
    if importlib.util.find_spec("mpi4py") is None or LAUNCHER is None:
        pytest.skip('needs mpi4py and an MPI: pip install mpi4py mpich')

    def run(ranks: int, source: str, *args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        script = cwd / "script.lua"
        script.write_text(source)
        command = [LAUNCHER, "-n", str(ranks), sys.executable, "-m", "t7shell", str(script), *args]
        root = str(Path(__file__).resolve().parents[2])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
        return subprocess.run(
            command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120
        )

    return run
