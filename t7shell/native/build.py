"""Compiles the kernels: a library for each level of instructions, and one that tells the processor's level.

Run it after a change of a C file, as `python -m t7shell.native.build [LEVEL ...]`: without levels it builds
all of this machine's architecture, into the folder of this file. Installing the package builds those that
this machine has a use for. It uses gcc or clang where one works, else the clang of the package ziglang, which
also compiles for other systems: T7_KERNELS_CC names the compiler (`gcc`, `zig`, ...), T7_KERNELS_TARGET one
of TARGETS.

This file is imported by the build hook, so it uses nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parent

# Loops are aligned, since short ones that cross a cache line run at half their speed on Zen 3.
FLAGS = [
    "-std=gnu11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-fwrapv",
    "-fvisibility=hidden", "-falign-loops=64", "-Wall", "-Wextra", "-Wno-unknown-pragmas",
]

# GCC aligns the loops of branches, too, only if told so.
ALIGN_ALL = ["--param=align-threshold=10000", "--param=align-loop-iterations=1"]

# Of element-wise programs: GCC interleaves the vectors of a block, so that processors need not wait for each
# function's chain of operations. Clang has no such option, and interleaves loops itself.
INTERLEAVE = ["-fschedule-insns", "-fsched-pressure"]

# The library that runs on any processor.
ANY_LEVEL = ("arenas.c", "broken_pipe.c", "level.c", "string_ids.c")

# The levels of an architecture, and the names that zig and other compilers have for them. Compilers prefer
# vectors of 256 bits even where there are wider ones.
LEVELS: dict[str, dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "x86_64": {
        "v2": ("x86_64_v2", "x86-64-v2", ()),
        "v3": ("x86_64_v3", "x86-64-v3", ()),
        "v4": ("x86_64_v4", "x86-64-v4", ("-mprefer-vector-width=512",)),
    },
    "aarch64": {"arm64": ("baseline", "armv8-a", ())},
}


@dataclass(frozen=True)
class Target:
    """A system that wheels are made for: zig's name of it and the platform tag of the wheel."""

    zig: str
    tag: str

    @property
    def machine(self) -> str:
        return self.zig.split("-")[0]

    @property
    def system(self) -> str:
        return self.zig.split("-")[1].split(".")[0]

    @property
    def suffix(self) -> str:
        return {"macos": ".dylib", "windows": ".dll"}.get(self.system, ".so")


TARGETS = {
    "linux-x86_64": Target("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64"),
    "linux-arm64": Target("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64"),
    "musl-x86_64": Target("x86_64-linux-musl", "musllinux_1_1_x86_64"),
    "musl-arm64": Target("aarch64-linux-musl", "musllinux_1_1_aarch64"),
    "macos-arm64": Target("aarch64-macos.11.0", "macosx_11_0_arm64"),
    "macos-x86_64": Target("x86_64-macos.11.0", "macosx_11_0_x86_64"),
    "windows-x86_64": Target("x86_64-windows-gnu", "win_amd64"),
}


class BuildError(Exception):
    """The kernels could not be compiled; the text says why."""


def this_machine() -> str:
    """The key of TARGETS for the machine that this runs on."""
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(machine, machine)
    system = {"darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)
    if system == "linux" and platform.libc_ver()[0] != "glibc":
        system = "musl"
    name = f"{system}-{machine}"
    if name not in TARGETS:
        raise BuildError(f"no kernels for {name}; there are kernels for {', '.join(TARGETS)}")
    return name


def target_name() -> str:
    """The key of TARGETS to build for."""
    name = os.environ.get("T7_KERNELS_TARGET") or this_machine()
    if name not in TARGETS:
        known = ", ".join(TARGETS)
        raise BuildError(f"T7_KERNELS_TARGET: unknown target (got {name}; expected one of {known})")
    return name


# A compiler must make shared libraries with vectors, and know the levels.
_PROBE = "typedef float v __attribute__((vector_size(32)));\nv f(v a);\nv f(v a) { return a + a; }\n"


def _works(compiler: str, machine: str, *flags: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text(_PROBE)
        to = source.with_suffix(".so")
        command = [compiler, *FLAGS, *flags, "-shared", "-fPIC", "-o", str(to), str(source)]
        marches = [f"-march={march}" for _, march, _ in LEVELS[machine].values()]
        return all(
            subprocess.run([*command, march], capture_output=True).returncode == 0
            for march in marches
        )


@cache
def system_compiler() -> str | None:
    """gcc or clang for this machine; None where only zig's clang can do it."""
    wanted = os.environ.get("T7_KERNELS_CC", "")
    if wanted == "zig" or sys.platform == "win32" or target_name() != this_machine():
        return None
    machine = TARGETS[this_machine()].machine
    names = [wanted] if wanted else [*os.environ.get("CC", "").split(" ")[:1], "gcc", "clang", "cc"]
    for name in names:
        if name and shutil.which(name) and _works(name, machine):
            return name
    return None


def has_zig() -> bool:
    return importlib.util.find_spec("ziglang") is not None


def sources(folder: Path) -> list[Path]:
    """The C files of the kernels, those that are made as well, without those of the library for any level."""
    made: list[Path] = []
    spec = importlib.util.spec_from_file_location("t7_native_programs", FOLDER / "programs.py")
    if (FOLDER / "programs.py").exists() and spec and spec.loader:
        programs = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(programs)
        lua = next(path for path in (FOLDER.parents[1] / "lua", FOLDER.parent / "lua") if path.is_dir())
        made = programs.write(lua, folder / "objects" / "generated")
    written = (path for path in FOLDER.rglob("*.c") if "objects" not in path.relative_to(FOLDER).parts)
    return [*made, *sorted(path for path in written if path.name not in ANY_LEVEL)]


# Bodies are included by a macro, see types.h.
_INCLUDE = re.compile(rb'^#(?:include|define BODY) "([^"]+)"', re.MULTILINE)


def _with_headers(source: Path, folders: tuple[Path, ...]) -> frozenset[Path]:
    """A C file and the headers of ours that it includes."""
    found = {source}
    for name in _INCLUDE.findall(source.read_bytes()):
        for folder in (source.parent, *folders):
            header = (folder / name.decode()).resolve()
            if header.exists():
                found |= _with_headers(header, folders)
                break
    return frozenset(found)


@dataclass(frozen=True)
class _Step:
    """A command that makes a file from others."""

    to: Path
    command: list[str]
    inputs: list[Path]

    def run(self) -> None:
        """Runs the command unless the file was made by it from the same inputs."""
        digest = hashlib.sha256("\n".join(self.command).encode())
        for path in self.inputs:
            digest.update(path.read_bytes())
        stamp, record = digest.hexdigest(), self.to.with_name(self.to.name + ".stamp")
        if self.to.exists() and record.exists() and record.read_text() == stamp:
            return
        self.to.parent.mkdir(parents=True, exist_ok=True)
        made = self.to.with_name(f"{self.to.name}.{os.getpid()}")
        done = subprocess.run([*self.command, "-o", str(made)], capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"{self.to.name} does not compile:\n{done.stderr[:4000]}")
        if done.stderr:
            print(done.stderr, file=sys.stderr)
        # A running process keeps the old library.
        os.replace(made, self.to)
        record.write_text(stamp)


def _compiler(target: Target) -> list[str]:
    compiler = system_compiler()
    if compiler:
        return [compiler]
    if has_zig():
        return [sys.executable, "-m", "ziglang", "cc", "-target", target.zig]
    raise BuildError(
        "the kernels need a C compiler: install gcc or clang, or the package ziglang "
        "(python -m pip install ziglang)"
    )


def _steps(levels: list[str] | None, folder: Path) -> tuple[list[_Step], list[_Step]]:
    """The steps that compile and those that link."""
    target = TARGETS[target_name()]
    compiler, has_system = _compiler(target), system_compiler() is not None
    known = LEVELS[target.machine]
    wanted = list(known) if levels is None else levels
    kernels = sources(folder) if wanted else []
    generated = folder / "objects" / "generated"
    position = [] if target.system == "windows" else ["-fPIC"]
    end = ["-s"] if target.system == "windows" else ["-lm", "-pthread"]
    if target.system == "linux":
        # LuaJIT closes libraries with its state, while threads may run in them.
        end += ["-s", "-Wl,-z,nodelete"]

    def supported(*flags: str) -> list[str]:
        works = has_system and _works(compiler[0], target.machine, "-Werror", "-Wno-psabi", *flags)
        return [*flags] if works else []

    common, of_programs = [*FLAGS, *supported(*ALIGN_ALL)], supported(*INTERLEAVE)
    compiled: list[_Step] = []
    linked: list[_Step] = []

    def library(name: str, flags: list[str], files: list[Path]) -> None:
        objects = []
        for source in files:
            root = generated.parent if source.is_relative_to(generated) else FOLDER
            to = folder / "objects" / name / f"{source.relative_to(root).as_posix().replace('/', '.')}.o"
            include = [f"-I{FOLDER}", f"-I{generated.parent}"]
            extra = of_programs if root != FOLDER else []
            command = [*compiler, *flags, *common, *extra, *position, *include, "-c", str(source)]
            compiled.append(_Step(to, command, sorted(_with_headers(source, (FOLDER, generated.parent)))))
            objects.append(to)
        to = folder / f"{name}{target.suffix}"
        linked.append(_Step(to, [*compiler, *flags, "-shared", *map(str, objects), *end], objects))

    library("level", [], [FOLDER / name for name in ANY_LEVEL])
    for level in wanted:
        if level not in known:
            raise BuildError(f"unknown level (got {level}; expected one of {', '.join(known)})")
        cpu, march, flags = known[level]
        select = f"-march={march}" if has_system else f"-mcpu={cpu}"
        library(f"kernels-{level}", [select, *flags], kernels)
    return compiled, linked


def build(levels: list[str] | None = None, folder: Path = FOLDER) -> list[Path]:
    """Compiles what has changed, on all cores; returns the libraries. Raises BuildError."""
    compiled, linked = _steps(levels, folder)
    # Longer ones first, so that no core is idle while the last one is compiled.
    compiled.sort(key=lambda step: sum(path.stat().st_size for path in step.inputs), reverse=True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_Step.run, compiled))
        list(pool.map(_Step.run, linked))
    return [step.to for step in linked]


def levels_to_install(folder: Path = FOLDER) -> list[str]:
    """The levels to build for an installation from source: this processor's own, and v3 below v4, so that
    the installation can move to nearly every other machine. A wheel for a named target has all levels.
    Raises BuildError."""
    machine = TARGETS[target_name()].machine
    known = list(LEVELS[machine])
    if os.environ.get("T7_KERNELS_TARGET") or machine != "x86_64":
        return known
    [any_level] = build([], folder)
    own = max(2, ctypes.CDLL(str(any_level)).t7_level())
    return [level for level in known if min(own, 3) <= int(level[1:]) <= own]


def main() -> int:
    try:
        for path in build(sys.argv[1:] or None):
            print(path)
    except BuildError as error:
        print(f"t7shell.native.build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
