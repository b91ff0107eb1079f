"""One C program calls kernels of every family: the same bits at all levels, under sanitizers and on arm64."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from t7shell import native
from t7shell.native import build, programs, rows

PROGRAM = Path(__file__).with_name("every_family.c")
LUA = next(path for path in (build.FOLDER.parents[1] / "lua", build.FOLDER.parent / "lua") if path.is_dir())
EMULATOR = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
Run = Callable[[str], list[str]]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32" or not build.system_compiler(), reason="needs a C compiler"),
]


def programs_of_rows() -> str:
    """A line for each program and type, as every_family.c reads it."""
    lines = []
    for text, types in rows.programs(LUA).items():
        for name in types:
            program = programs.Program(text, name, 0)
            result = 4 if program.result == "uint8_t" else 1 + list(rows.NAMES).index(name)
            lines.append(f"{name} {result} {''.join(program.tensors)} {text}\n")
    return "".join(lines)


def compiled(folder: Path, compiler: list[str], options: list[str]) -> Path:
    """The program with all kernels, by a compiler and its options."""
    sources = [*build.sources(folder), PROGRAM]
    include = [f"-I{build.FOLDER}", f"-I{folder / 'objects'}"]

    def compile_one(source: Path) -> str:
        to = folder / f"{source.parent.name}.{source.stem}.o"
        subprocess.run(
            [*compiler, *build.FLAGS, *options, *include, "-c", str(source), "-o", str(to)], check=True
        )
        return str(to)

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sources))
    target = folder / "every_family"
    subprocess.run([*compiler, *options, *objects, "-pthread", "-lm", "-o", str(target)], check=True)
    return target


def results(command: list[str]) -> list[str]:
    done = subprocess.run(command, input=programs_of_rows(), capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def of_level(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The results of the libraries that programs use."""
    known: dict[str, list[str]] = {}

    def of(level: str) -> list[str]:
        if level not in known:
            compiler, library = build.system_compiler(), native.library(level)
            assert compiler
            target = tmp_path_factory.mktemp(level) / "every_family"
            options = [f"-I{build.FOLDER}", library, f"-Wl,-rpath,{native.FOLDER}", "-pthread", "-lm"]
            subprocess.run([compiler, *build.FLAGS, str(PROGRAM), "-o", str(target), *options], check=True)
            known[level] = results([str(target)])
        return known[level]

    return of


def differing(ours: list[str], others: list[str]) -> set[str]:
    assert len(ours) == len(others) > 10_000
    assert not [line for line in ours if "missing" in line]
    return {a.rpartition(" ")[0] for a, b in zip(ours, others, strict=True) if a != b}


def needs(*levels: str) -> None:
    if missing := set(levels) - set(native.runnable()):
        pytest.skip(f"not built, or not for this processor: {', '.join(sorted(missing))}")


def test_levels_give_the_same_bits(of_level: Run) -> None:
    needs("v3", "v4")
    assert differing(of_level("v3"), of_level("v4")) == set()


def test_v2_differs_only_where_products_are_added(of_level: Run) -> None:
    """It rounds fused multiply-adds twice; integers, orders, moves and sums have no such."""
    needs("v2", "v3")
    different = differing(of_level("v3"), of_level("v2"))
    same = ("sorted", "median", "mode", "best", "largest", "smallest", "running", "random", "sum", "means")
    assert not [name for name in different if name.split(" ", 1)[1].startswith(same)]
    assert not [
        name for name in different if name.split(" ", 1)[0] in ("Byte", "Char", "Short", "Int", "Long")
    ]


@pytest.mark.skipif(not EMULATOR or not build.has_zig(), reason="needs qemu-aarch64 and ziglang")
def test_arm64_gives_the_same_bits(of_level: Run, tmp_path: Path) -> None:
    needs("v3")
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", "aarch64-linux-musl"]
    target = compiled(tmp_path, zig, ["-static"])
    # Here clang takes an instruction that prefers -0 to 0.
    zeros = {"Float z = fmin(x, 0) * y", "Double z = fmin(x, 0) * y"}
    # The C library computes it: musl's in the program for arm64, glibc's here.
    of_library = {"Double z = gammaln(x)"}
    assert differing(of_level("v3"), results([str(EMULATOR), str(target)])) <= zeros | of_library


def test_sanitizers_find_nothing(of_level: Run, tmp_path: Path) -> None:
    needs("v3")
    compiler = build.system_compiler()
    assert compiler
    sanitize = ["-march=x86-64-v3", "-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    found = results([str(compiled(tmp_path, [compiler], sanitize))])
    assert differing(of_level("v3"), found) == set()
