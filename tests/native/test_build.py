"""The kernels: building them, choosing a level, and their threads."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from t7shell import native
from t7shell.native import build


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "t7shell", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | environment)


def test_the_best_level_of_this_processor_is_chosen() -> None:
    assert run("--version", T7_KERNELS="").stdout.endswith(f"kernels {native.runnable()[-1]}\n")


@pytest.mark.parametrize("level", native.runnable())
def test_each_level_that_runs_here_can_be_named(level: str) -> None:
    assert run("--version", T7_KERNELS=level).stdout.endswith(f"kernels {level}\n")


def test_an_unknown_level_is_an_error_that_lists_the_others() -> None:
    done = run("-e", "torch.setnumthreads(1)", T7_KERNELS="v9")
    assert done.returncode == 1
    assert "no such kernels here (got v9; expected one of" in done.stderr
    assert done.stderr.startswith("t7: T7_KERNELS: ") and done.stderr.count("\n") == 1


@pytest.mark.skipif(build.TARGETS[build.this_machine()].machine != "x86_64", reason="one level")
@pytest.mark.parametrize(("own", "levels"), [(0, ["v2"]), (2, ["v2"]), (3, ["v3"]), (4, ["v3", "v4"])])
def test_an_installation_builds_what_its_processor_runs(
    own: int, levels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("T7_KERNELS_TARGET", raising=False)
    monkeypatch.setattr(ctypes, "CDLL", lambda path: SimpleNamespace(t7_level=lambda: own))
    assert build.levels_to_install(tmp_path) == levels
    monkeypatch.setenv("T7_KERNELS_TARGET", "linux-x86_64")
    assert build.levels_to_install(tmp_path) == ["v2", "v3", "v4"]


def test_kernels_for_other_processors_only_are_an_error_that_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("T7_KERNELS", raising=False)
    monkeypatch.setattr(native, "for_any_level", lambda: SimpleNamespace(t7_level=lambda: 0))
    monkeypatch.setattr(native, "built", lambda: ["v3", "v4"])
    with pytest.raises(native.KernelsUnavailable, match=r"no kernels for this processor \(got v3, v4\); run"):
        native.level.__wrapped__()


def test_nothing_is_compiled_twice_and_a_change_of_a_source_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = tmp_path / "native"
    sources.mkdir()
    for name in build.ANY_LEVEL:
        (sources / name).write_text(f"int t7_{name[:-2]}(void) {{ return 0; }}\n")
    kernel = sources / "kernel.c"
    kernel.write_text("int t7_answer(void) { return 1; }\n")
    monkeypatch.setattr(build, "FOLDER", sources)
    level = native.level()

    def made() -> int:
        return next(path for path in build.build([level], sources) if "kernels" in path.name).stat().st_ino

    first = made()
    assert made() == first
    kernel.write_text("int t7_answer(void) { return 2; }\n")
    assert made() != first


def test_a_source_that_does_not_compile_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in build.ANY_LEVEL:
        (tmp_path / name).write_text("typedef int number;\n")
    (tmp_path / "level.c").write_text("int t7_level(void) { return nothing; }\n")
    monkeypatch.setattr(build, "FOLDER", tmp_path)
    with pytest.raises(build.BuildError, match=r"(?s)level\.c\.o does not compile:.*nothing"):
        build.build([native.level()], tmp_path)


def test_without_a_compiler_the_message_names_two_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "system_compiler", lambda: None)
    monkeypatch.setattr(build, "has_zig", lambda: False)
    with pytest.raises(build.BuildError, match="install gcc or clang, or the package ziglang"):
        build.build()


@pytest.mark.slow
def test_unknown_targets_and_levels_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(build.BuildError, match=r"unknown level \(got v9"):
        build.build(["v9"])
    monkeypatch.setenv("T7_KERNELS_TARGET", "amiga")
    with pytest.raises(build.BuildError, match=r"unknown target \(got amiga"):
        build.build()
