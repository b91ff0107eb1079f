"""Conformance cases: reading them, running those of a file in one process, and judging the answers.

A case has an `id`, a `code`, the `stdout` that the real Torch7 printed and the `error` that stopped it, or
None. Numbers agree to `rtol` relative (1e-4 unless the case says otherwise), white space is folded and
addresses are ignored; `exact` asks for the same bytes. Footers may say `of size` or `of dimension`. Where
the original raised an error an error is wanted, in any words, but not one that comes from using
something that does not exist.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "conformance"
# Another `t7` to judge, such as that of another processor.
COMMAND = shlex.split(os.environ.get("T7_CONFORMANCE_COMMAND", "")) or [sys.executable, "-m", "t7shell"]
# 1 of this many cases, for emulated processors.
EVERY = int(os.environ.get("T7_CONFORMANCE_EVERY", "1"))
TIMEOUT = 300 if "T7_CONFORMANCE_COMMAND" not in os.environ else 1800

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|nan|inf)\b")
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_FOOTER = re.compile(r"(\[torch\.\w*Tensor) of (?:size|dimension) ")


@dataclass(frozen=True)
class Case:
    """One case, with the file that it comes from."""

    path: Path
    id: str
    code: str
    stdout: str
    error: str | None
    rtol: float = 1e-4
    exact: bool = False


@dataclass(frozen=True)
class Answer:
    """The output of a case, and the error that stopped it."""

    output: str
    error: str | None


def deviations() -> dict[str, str]:
    """The cases that are expected to fail, on purpose or for now: id -> reason."""
    with open(HERE / "deviations.toml", "rb") as handle:
        tables: dict[str, dict[str, str]] = tomllib.load(handle)
    return {**tables["deviations"], **tables["missing"]}


def claimed_cases() -> list[Case]:
    """The cases of the claimed chapters, file by file."""
    with open(FOLDER / "chapters.toml", "rb") as handle:
        prefixes = tuple(tomllib.load(handle)["claimed"])
    paths = [*sorted(FOLDER.glob("*.jsonl")), *sorted((FOLDER / "packages").glob("*.jsonl"))]
    return [case for path in paths for case in _read(path) if case.id.startswith(prefixes)][::EVERY]


def _read(path: Path) -> list[Case]:
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    known = ("id", "code", "stdout", "error", "rtol", "exact")
    # Recorded sessions of the interactive shell have no code, and are no cases of this kind.
    return [Case(path, **{k: r[k] for k in known if k in r}) for r in records if "code" in r]


def run_sequential(
    cases: list[Case], *options: str, default_type: str = "torch.DoubleTensor"
) -> dict[str, Answer]:
    """The answers of cases, run in order in one process of `t7` with these options.

    A process that dies or hangs costs the case at which it did; the others go on in a new one.
    """
    waiting, found = list(cases), dict[str, Answer]()
    while waiting:
        answered, note = _run(waiting, options, default_type)
        found |= answered
        waiting = [case for case in waiting if case.id not in found]
        if waiting:
            found[waiting.pop(0).id] = Answer("", f"the process ended here: {note}")
    return found


def _run(cases: list[Case], options: tuple[str, ...], default_type: str) -> tuple[dict[str, Answer], str]:
    with tempfile.TemporaryDirectory() as folder:
        source, results = Path(folder, "cases.lua"), Path(folder, "results")
        rows = [f"{{ id = {_quoted(case.id)}, code = {_quoted(case.code)} }},\n" for case in cases]
        source.write_text("return {\n" + "".join(rows) + "}\n", encoding="utf-8")
        program = [str(FOLDER / "driver.lua"), str(source), str(results), default_type]
        command = [*COMMAND, *options, *program]
        try:
            done = subprocess.run(command, capture_output=True, timeout=TIMEOUT, cwd=folder, check=False)
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
            note = said or f"status {done.returncode}"
        except subprocess.TimeoutExpired:
            note = f"no answer in {TIMEOUT} s"
        return _parsed(results.read_bytes() if results.exists() else b""), note


def _quoted(text: str) -> str:
    """A Lua long string of any text."""
    level = "="
    while f"]{level}]" in text + "]":
        level += "="
    return f"[{level}[\n{text}]{level}]"


def _parsed(data: bytes) -> dict[str, Answer]:
    found: dict[str, Answer] = {}
    while b"\n" in data:
        head, _, data = data.partition(b"\n")
        id_size, output_size, error_size = map(int, head.split())
        end = id_size + output_size + max(error_size, 0)
        record, data = data[:end], data[end:]
        if len(record) < end:
            break
        output = record[id_size : id_size + output_size].decode("utf-8", "replace")
        error = record[id_size + output_size :].decode("utf-8", "replace") if error_size >= 0 else None
        found[record[:id_size].decode()] = Answer(output, error)
    return found


def fault(case: Case, answer: Answer) -> str | None:
    """The fault of an answer; None if it is right."""
    if case.error is not None:
        if answer.error is None:
            return f"no error raised, wanted: {case.error}"
        # A crash of the process is not an error that a program could handle.
        if answer.error.startswith("the process ended here") or (
            "attempt to" in answer.error and "attempt to" not in case.error
        ):
            return f"not an error on purpose: {answer.error}"
        return None
    if answer.error is not None:
        return f"error: {answer.error}"
    return None if agrees(case, answer.output) else f"wanted:\n{case.stdout}\ngot:\n{answer.output}"


def agrees(case: Case, output: str) -> bool:
    """Whether an output agrees with the case."""
    got, want = _FOOTER.sub(r"\1 of size ", output), _FOOTER.sub(r"\1 of size ", case.stdout)
    if case.exact or got == want:
        return got == want
    words, numbers = _taken_apart(got)
    wanted_words, wanted_numbers = _taken_apart(want)
    return (
        words == wanted_words
        and len(numbers) == len(wanted_numbers)
        and all(_close(a, b, case.rtol) for a, b in zip(numbers, wanted_numbers, strict=True))
    )


def _taken_apart(text: str) -> tuple[str, list[float]]:
    text = _ADDRESS.sub("0x", text)
    return " ".join(_NUMBER.sub("#", text).split()), [float(number) for number in _NUMBER.findall(text)]


def _close(a: float, b: float, rtol: float) -> bool:
    if a == b or (math.isnan(a) and math.isnan(b)):
        return True
    return abs(a - b) <= rtol * max(abs(a), abs(b)) + 1e-9
