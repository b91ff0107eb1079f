"""Notices: warnings of Python in its programs, each once, and lines of the error stream in commands."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import warnings
from t7shell import Runtime
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for lua in (Runtime(), Runtime()):
        lua.execute(SOURCE)
for given in caught:
    print(given.category.__name__, given.filename, given.message)
"""


def run(source: str, **environment: str) -> tuple[str, str]:
    """The output and the errors of a program that runs Lua source in two states, away from any terminal."""
    known = {name: value for name, value in os.environ.items() if name not in ("T7_CUDA", "DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("SOURCE", repr(source))],
        env={**known, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout, done.stderr


def test_the_device_is_a_warning_given_once_with_the_line_of_the_user() -> None:
    out, err = run("require 'cutorch'")
    assert (out.count("\n"), err) == (1, "")
    assert out.startswith("T7Warning <string> t7: cutorch: ")


def test_a_device_that_the_user_chose_is_not_named() -> None:
    assert run("require 'cutorch'", T7_CUDA="cpu") == ("", "")


@pytest.mark.parametrize(
    "source, text",
    [
        ("require('torch.base.warn').once('odd %s', 'call')", "python:1: warning: odd call"),
        ("require 'torch.base.notice' 'caf\\195\\169'", "café"),
        ("require 'gnuplot' gnuplot.raw 'set nonsense'", "gnuplot.raw: 'set nonsense' is not understood"),
    ],
)
def test_other_notices(source: str, text: str) -> None:
    assert run(source) == (f"T7Warning <string> {text}\n", "")


@pytest.mark.slow
def test_the_files_of_pictures() -> None:
    out, err = run("require 'gnuplot' gnuplot.plot(torch.ones(3))", MPLBACKEND="agg")
    assert out.splitlines()[0].endswith("-1.png") and out.startswith("T7Warning") and err == ""


def test_commands_print_notices() -> None:
    command = [sys.executable, "-m", "t7shell", "-e", "require 'torch.base.notice' 'so it is'"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("", "so it is\n")


def test_commands_print_warnings_of_libraries_without_their_places(tmp_path: Path) -> None:
    path = tmp_path / "vax.mat"
    path.write_bytes(struct.pack("<5i2sd", 3000, 1, 1, 0, 2, b"x", 1.0))
    command = [sys.executable, "-m", "t7shell", "-e", f"require('matio').load('{path}')"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    warning = "warning: We do not support byte ordering 'VAX G-float'; returned data may be corrupt\n"
    assert (done.stdout, done.stderr) == ("", warning)


def test_notices_that_python_makes_errors() -> None:
    program = """
import warnings
from t7shell import Runtime
warnings.simplefilter("error")
PLOT = "require 'gnuplot' gnuplot.plot(torch.ones(3))"
for source in ("require 'cutorch'", "require 'image' image.display(torch.ones(4, 4))", PLOT):
    try:
        Runtime().execute(source)
    except UserWarning as reason:
        print(type(reason).__name__, str(reason).rpartition("-")[2])
"""
    known = {name: value for name, value in os.environ.items() if name not in ("T7_CUDA", "DISPLAY")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=known, capture_output=True, text=True, check=True, timeout=120)
    lines = done.stdout.splitlines()
    assert lines[0].startswith("T7Warning t7: cutorch: no GPU") and lines[1:] == ["T7Warning 1.png"] * 2
