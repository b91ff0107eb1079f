"""The command `t7 convert`."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module

from t7shell.convert import READERS, WRITERS, Options
from t7shell.core import encoding
from t7shell.core.errors import T7Error

USAGE = """\
usage: t7 convert [options] from.t7 to.SUFFIX     writes a network, or the tensors of any .t7 file
       t7 convert [options] from.SUFFIX to.t7     writes a table of tensors

options:
  --into NET.t7        write the weights into this network; to.t7 is the network with the new weights
  --input 1x3x224x224  the size of an input, for formats that need it; once for each input
  --half               write numbers of 16 bits, where the format has a choice
"""


class _Usage(Exception):
    """The command line makes no sense; the message says why."""


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 convert` with its arguments; returns the exit status."""
    if "-h" in arguments or "--help" in arguments:
        encoding.write(USAGE + _suffixes(), sys.stdout)
        return 0
    try:
        files, options = parse(arguments)
        source, target = files
        _convert(source, target, options)
    except _Usage as mistake:
        encoding.write(f"t7 convert: {mistake}\n{USAGE}{_suffixes()}")
        return 2
    except ImportError as missing:
        encoding.write(f"t7 convert: {missing}\n")
        return 1
    except OSError as reason:
        named = f"cannot open {reason.filename}: {reason.strerror}" if reason.filename else reason
        encoding.write(f"t7 convert: {named}\n")
        return 1
    except (T7Error, ValueError, MemoryError) as mistake:
        encoding.write(f"t7 convert: {mistake or 'out of memory'}\n")
        return 1
    return 0


def _suffixes() -> str:
    return f"\nto: {', '.join(WRITERS)}; from: {', '.join(READERS)}\n"


def parse(arguments: Sequence[str]) -> tuple[list[str], Options]:
    """Splits arguments into the two files and the options; raises `_Usage`."""
    files: list[str] = []
    inputs: list[tuple[int, ...]] = []
    half, into = False, None
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if name in ("--input", "--into") and not equals:
            if not rest:
                raise _Usage(f"{name}: a value is missing")
            value = rest.pop(0)
        if name == "--input":
            inputs.append(_sizes(value))
        elif name == "--into":
            into = value
        elif word == "--half":
            half = True
        elif word.startswith("-"):
            raise _Usage(f"unknown option '{word}'")
        else:
            files.append(word)
    if len(files) != 2:
        raise _Usage(f"expected two files (got {' '.join(files) or 'none'})")
    return files, Options(tuple(inputs), half, into)


def _sizes(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[1-9]\d{0,8}(x[1-9]\d{0,8})*", text):
        raise _Usage(f"--input: expected sizes such as 1x3x224x224 (got '{text}')")
    return tuple(int(size) for size in text.split("x"))


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _convert(source: str, target: str, options: Options) -> None:
    begin, end = _suffix(source), _suffix(target)
    if begin == ".t7" and end in WRITERS:
        if options.into is not None:
            raise _Usage("--into: the file that is written must be a .t7 file")
        import_module(WRITERS[end]).write(source, target, options)
    elif begin in READERS and end == ".t7":
        tensors = import_module(READERS[begin]).read(source)
        if options.into is not None:
            from t7shell.convert.state import put_into

            put_into(options.into, tensors, target)
        else:
            from t7shell import t7file

            t7file.save(tensors, target)
    else:
        raise _Usage(f"expected one .t7 file and one of another format (got {source} {target})")
