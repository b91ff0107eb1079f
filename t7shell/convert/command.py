"""The command `t7 convert`."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from importlib import import_module

from t7shell.convert import READERS, WRITERS, Options
from t7shell.engine import command_line


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 convert` with its arguments; returns the exit status."""
    parser = argparse.ArgumentParser(
        "t7 convert",
        description="Write the network, or the tensors, of a .t7 file in another format, or a table of the "
        "tensors of another file as a .t7 file.",
        epilog=f"to: {', '.join(WRITERS)}; from: {', '.join(READERS)}",
    )
    add = parser.add_argument
    add("source", metavar="from")
    add("target", metavar="to")
    add(
        "--into",
        metavar="NET.t7",
        help="write the weights into this network, and the network to the .t7 file",
    )
    add(
        "--input",
        type=_sizes,
        action="append",
        default=[],
        metavar="1x3x224x224",
        help="the size of an input, for formats that need it; once for each input",
    )
    add("--key", metavar="protos.rnn", help="the part of the .t7 file, by its path as `t7 inspect` prints it")
    add("--half", action="store_true", help="write numbers of 16 bits, where the format has a choice")

    def work(options: argparse.Namespace) -> int:
        problem = _convert(options.source, options.target, options)
        if problem:
            parser.error(problem)
        return 0

    return command_line.run(parser, arguments, work)


def _sizes(text: str) -> tuple[int, ...]:
    if not re.fullmatch(r"[1-9]\d{0,8}(x[1-9]\d{0,8})*", text):
        raise argparse.ArgumentTypeError(f"expected sizes such as 1x3x224x224 (got '{text}')")
    return tuple(int(size) for size in text.split("x"))


def _suffix(path: str) -> str:
    return os.path.splitext(path)[1].lower()


_OWN = (".t7", ".t7b", ".th", ".net")


def _convert(source: str, target: str, options: argparse.Namespace) -> str | None:
    """Converts a file; returns a message if the arguments are wrong."""
    begin, end = _suffix(source), _suffix(target)
    # Files of Torch7 have various extensions, so their contents are checked.
    if begin not in READERS and end in WRITERS:
        if options.into is not None:
            return "--into: the file that is written must be a .t7 file"
        made = Options(tuple(options.input), options.half, options.key)
        import_module(WRITERS[end]).write(source, target, made)
    elif begin in READERS and end in _OWN:
        tensors = import_module(READERS[begin]).read(source)
        if options.into is not None:
            from t7shell.convert.state import put_into

            put_into(options.into, tensors, target)
        else:
            from t7shell import t7file

            t7file.save(tensors, target)
    else:
        return f"expected one .t7 file and one of another format (got {source} {target})"
    return None
