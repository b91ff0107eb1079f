"""Modules and criterions with wrong inputs, targets, parameters and states: an error, never the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from .criterion_records import CRITERIONS
from .layer_records import LAYERS
from .module_records import MODULES

HERE = Path(__file__).parent
CASES = int(os.environ.get("T7_FUZZ_NN", "2000"))
FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))


def test_wrong_calls_are_errors(tmp_path: Path) -> None:
    makes = {f"module {m.make}" for m in MODULES} | {f"module {layer.make}" for layer in LAYERS}
    makes |= {f"criterion {c.make}" for c in CRITERIONS}
    (tmp_path / "makes").write_text("\n".join(sorted(makes)) + "\n")
    log = tmp_path / "log"
    command = [sys.executable, "-m", "t7shell", str(HERE / "fuzz.lua"), str(HERE.parent / "fuzz")]
    command += [str(tmp_path / "makes"), str(FIRST), str(FIRST + CASES - 1), str(log)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, (
        f"{result.returncode} in {log.read_text().splitlines()[-1]}: {result.stderr}"
    )
    faults = result.stdout.splitlines()[:-1]
    assert not faults, "\n".join(faults[:20])
    calls, succeeded = (int(word) for word in result.stdout.splitlines()[-1].split() if word.isdigit())
    assert calls > CASES
    assert succeeded > CASES / 2
