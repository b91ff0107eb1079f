"""Input of others that is odd: one sentence, and no traceback of Python."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import t7shell
from t7shell import LuaError, Runtime, T7Error

from .conftest import Run


@pytest.mark.one_in(3)
@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes as on Linux")
@pytest.mark.parametrize(
    "name", [b"\xff\xfe", "\u017elu\u0165".encode(), "\xe4".encode()], ids=["bytes", "far", "near"]
)
def test_a_home_of_any_name(tmp_path: Path, name: bytes) -> None:
    home = os.fsencode(tmp_path) + b"/" + name
    modules = home + b"/.luarocks/share/lua/5.1"
    os.makedirs(modules)
    with open(modules + b"/mine.lua", "w") as file:
        file.write("return 5")
    with open(home + b"/other.lua", "w") as file:
        file.write("return 6")
    with open(home + b"/script.lua", "w") as file:
        file.write("print(require 'mine', require 'other', paths.home == os.getenv 'HOME')")
    # A LUA_PATH of the tests would leave the folders of the user out.
    environment = {key: value for key, value in os.environb.items() if not key.startswith(b"LUA_")}
    environment[b"HOME"] = home
    job = "t = require('threads').Threads(1) t:addjob(function() print(require 'mine') end) t:terminate()"
    for arguments, shown in (
        (["-e", "print(require 'mine')"], b"5\n"),
        (["-i", "-e", "print(require 'mine')"], b"5\n"),
        ([home + b"/script.lua"], b"5\t6\ttrue\n"),
        (["help", "abs"], b"abs"),
        (["-e", job], b"5"),
    ):
        command = [sys.executable, "-m", "t7shell", *arguments]
        done = subprocess.run(command, env=environment, input=b"", capture_output=True)
        assert done.returncode == 0 and shown in done.stdout, done.stderr


def test_an_archive_with_a_member_that_is_no_array(t7: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    for member in ("readme.txt", "b.npy"):
        np.savez(path, a=np.ones(2))
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr(member, "hello")
        name = member.removesuffix(".npy")
        done = t7("convert", str(path), str(tmp_path / "x.t7"))
        assert done.returncode == 1 and done.stderr == f"t7 convert: {path}: '{name}' is not an array\n"
        with pytest.raises(LuaError, match=f"loadnpz: .*: '{name}' is not an array"):
            Runtime().execute(f"require('npy4th').loadnpz('{path}')")


def test_a_network_of_a_thousand_dimensions(tmp_path: Path) -> None:
    path = str(tmp_path / "net.t7")
    Runtime().execute(f"""
        require 'nn'
        local net = nn.Linear(2, 2)
        net.weight:resize(torch.LongStorage(1000):fill(1))
        torch.save('{path}', net)""")
    model = t7shell.load_model(path)
    for call in (model.state_dict, model.parameters, lambda: model.module.weight, lambda: t7shell.load(path)):
        with pytest.raises(T7Error, match="1000"):
            call()
