"""Threads of other libraries' BLAS do not take the cores of a program that does not use them."""

from __future__ import annotations

import os
import subprocess
import sys

# The import of NumPy is noted with the environment that its BLAS reads.
SCRIPT = """
import os, sys
from importlib.abc import MetaPathFinder

NAME = "OPENBLAS_THREAD_TIMEOUT"

class Watch(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            print("numpy", os.environ.get(NAME))

sys.meta_path.insert(0, Watch())
from t7shell.bridge.runtime import Runtime

runtime = Runtime()
runtime.execute("torch.svd(torch.ones(3, 3))")
print("then", os.environ.get(NAME))
"""


def _lines(**environment: str) -> list[str]:
    kept = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**kept, **environment})
    return done.stdout.splitlines()


def test_numpys_threads_sleep_from_the_beginning() -> None:
    assert _lines() == ["numpy 4", "then None"]


def test_a_timeout_of_the_user_stays() -> None:
    assert _lines(OPENBLAS_THREAD_TIMEOUT="20") == ["numpy 20", "then 20"]
