"""Packages have every name that the original ones had at run time: classes with their methods, globals.

`original_names/<package>.tsv` has a line for each: the name, and its methods. `_G` are the globals that the
package set; a name that begins with the package is in what `require` returns.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell import Runtime

FOLDER = Path(__file__).with_name("original_names")
PACKAGES = sorted(path.stem for path in FOLDER.iterdir())
# The C library of the original; what only the code that autograd generated called.
LEFT_OUT = {"tds.C", "autograd.nnwrapper.setApplyFn"}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there(package: str) -> None:
    lua = Runtime()
    lua.execute(f"nn, P = require 'nn', require '{package}'")
    missing = []
    for line in (FOLDER / f"{package}.tsv").read_text().splitlines():
        name, _, methods = line.partition("\t")
        found = name.replace(f"{package}.", "P.", 1) if name.startswith(f"{package}.") else name
        if lua.eval(f"{found} == nil") is True:
            missing.append(name)
            continue
        # A class is loaded on the first use of a method.
        for method in methods.split():
            if lua.eval(f"{found}.__init ~= 0 and {found}.{method} == nil") is True:
                missing.append(f"{name}.{method}")
    assert {name for name in missing if not name.endswith("InPlace")} <= LEFT_OUT
