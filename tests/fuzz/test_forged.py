"""NaNs with payloads in memory, of any origin, never become strings, tables or nil of Lua."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import t7shell

from ..nn.test_extremes import OTHERS, WINDOWS

SCRIPT, MODULES = Path(__file__).with_name("forged.lua"), Path(__file__).with_name("forged_modules.lua")
# Packages, and modules and functions of theirs: kind, constructor or name, arguments.
CASES = Path(__file__).with_name("packages.tsv")
BITS = [0xFFFD800041414140, 0xFFFF800000000000, 0xFFFA000041414140, 0x7FFD800041414140, 0x7FF5000000000001]
SINGLE_BITS = [0xFFEC0000, 0xFFFC0000, 0xFFD00000, 0x7FEC0000, 0x7FA80000]

# Those whose kernels keep elements in variables of Lua, and those that hand elements out.
NAMES = (
    "sum mean prod max min var std norm dist dot trace median mode kthvalue sort topk cumsum "
    "cumprod match renorm histc exp sigmoid remainder cremainder bernoulli multinomial apply "
    "map map2 __mul__ __tostring__ totable equal all any pow log sqrt add mul neg cmul "
    "copy contiguous clone t index indexCopy gather scatter maskedSelect maskedCopy nonzero "
    "conv2 xcorr2 eig svd symeig potrf multinomialAliasSetup_"
)


@pytest.mark.parametrize("compiler", ["on", pytest.param("off", marks=pytest.mark.slow)])
def test_operations_on_payloads(compiler: str) -> None:
    command = [sys.executable, "-m", "t7shell", str(SCRIPT), compiler, *NAMES.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"ended by {done.returncode} in {done.stderr.splitlines()[-1:]}"
    assert done.stdout == "done\n"


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["on", "off"])
def test_modules_and_packages_on_payloads(compiler: str, tmp_path: Path) -> None:
    cases, log = tmp_path / "cases", tmp_path / "log"
    cases.write_text("\n".join(WINDOWS + OTHERS) + "\n" + CASES.read_text())
    command = [sys.executable, "-m", "t7shell", str(MODULES), str(MODULES.parent), compiler]
    command += [str(cases), str(log), os.environ.get("T7_FUZZ_FORGED", "3")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"ended by {done.returncode} in {log.read_text()}\n{done.stderr[-1000:]}"
    assert done.stdout == "done\n", done.stdout[:3000]


def bits(dtype: str) -> np.ndarray:
    if dtype == "float64":
        return np.array(BITS, np.uint64).view("float64")
    if dtype == "float32":
        return np.array(SINGLE_BITS, np.uint32).view("float32")
    return np.array([0xFFFF, 0x7FFF, 0xFD80, 0x7D01, 0xFE01], np.uint16).view("float16")


LOOK = """function(x)
   local text, s = {}, x:storage()
   for i = 1, 5 do text[#text + 1] = type(x[i]) .. type(s[i]) .. type(-x[i]) .. tostring(x[i]) end
   for _, v in ipairs(x:totable()) do text[#text + 1] = type(v) end
   x:apply(function(v) text[#text + 1] = type(v) end)
   return table.concat(text, ' '):gsub('%-nan', 'nan')
end"""
EXPECTED = " ".join(["numbernumbernumbernan"] * 5 + ["number"] * 10)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_shared_arrays_that_are_written_later(dtype: str) -> None:
    runtime = t7shell.Runtime()
    array = np.zeros(5, dtype)
    runtime.globals["x"] = array
    array[:] = bits(dtype)
    look = runtime.eval(LOOK)
    assert look(array)[0] == EXPECTED


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_shared_mapping_keeps_the_bits_of_its_file(
    fresh_lua: Callable[[str], str], tmp_path: Path, dtype: str
) -> None:
    path = tmp_path / "mapped"
    path.write_bytes(bits(dtype).tobytes())
    kind = "Double" if dtype == "float64" else "Float"
    source = f"""local s = torch.{kind}Storage('{path}', true)
    local x = torch.{kind}Tensor(s)
    local types = {{}}
    for i = 1, 5 do types[i] = type(x[i]) .. type(s[i]) end
    print(table.concat(types, ' '), (tostring(x:sum()):gsub('-', '')))"""
    assert fresh_lua(source).split() == ["numbernumber"] * 5 + ["nan"]
    assert path.read_bytes() == bits(dtype).tobytes()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_files_of_other_programs(fresh_lua: Callable[[str], str], tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "x.npy"
    np.save(path, bits(dtype))
    source = f"local x = require('npy4th').loadnpy('{path}') print((({LOOK})(x)))"
    assert fresh_lua(source).strip() == EXPECTED


def test_matlab_and_hdf5(fresh_lua: Callable[[str], str], tmp_path: Path) -> None:
    h5py, scipy_io = pytest.importorskip("h5py"), pytest.importorskip("scipy.io")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x"] = bits("float64")
    scipy_io.savemat(tmp_path / "x.mat", {"x": bits("float64").reshape(5, 1)})
    source = f"""require 'hdf5'
    local x = hdf5.open('{tmp_path}/x.h5', 'r'):read('x'):all()
    print((({LOOK})(x)))
    local y = require('matio').load('{tmp_path}/x.mat', 'x')
    print((({LOOK})(y:view(-1))))"""
    assert fresh_lua(source).splitlines() == [EXPECTED] * 2
