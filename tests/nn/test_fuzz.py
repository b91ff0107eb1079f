"""Modules, of packages too, with wrong inputs, targets, parameters and states: an error, never the end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .criterion_records import CRITERIONS
from .layer_records import LAYERS
from .module_records import MODULES

HERE = Path(__file__).parent
FIRST = int(os.environ.get("T7_FUZZ_FIRST", "1"))


MAKES = {f"module\t{m.make}" for m in MODULES} | {f"module\t{layer.make}" for layer in LAYERS}
MAKES |= {f"criterion\t{c.make}" for c in CRITERIONS}
OF_PACKAGES = (HERE.parent / "fuzz" / "packages.tsv").read_text()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("makes", ["\n".join(sorted(MAKES)), OF_PACKAGES], ids=["nn", "packages"])
def test_wrong_calls_are_errors(makes: str, tmp_path: Path, slow: bool) -> None:
    cases = int(os.environ.get("T7_FUZZ_NN", "2000" if slow else "500"))
    (tmp_path / "makes").write_text(makes)
    log = tmp_path / "log"
    command = [sys.executable, "-m", "t7shell", str(HERE / "fuzz.lua"), str(HERE.parent / "fuzz")]
    command += [str(tmp_path / "makes"), str(FIRST), str(FIRST + cases - 1), str(log)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, (
        f"{result.returncode} in {log.read_text().splitlines()[-1]}: {result.stderr}"
    )
    # Modules such as Profile print lines.
    faults = [line for line in result.stdout.splitlines() if "\t" in line]
    assert not faults, "\n".join(faults[:20])
    calls, succeeded = (int(word) for word in result.stdout.splitlines()[-1].split() if word.isdigit())
    assert calls > cases
    assert succeeded > cases / 3
