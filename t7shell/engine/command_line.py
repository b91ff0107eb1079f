"""The commands of `t7`, such as `t7 convert`: their arguments, and their failures in one line."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from t7shell.engine.errors import T7Error
from t7shell.host import encoding
from t7shell.host.failures import of_system

_FAILURES = (T7Error, ImportError, ValueError, MemoryError, OverflowError)


def run(
    parser: argparse.ArgumentParser, arguments: Sequence[str], work: Callable[[argparse.Namespace], int]
) -> int:
    """Calls `work` with the parsed arguments of a command; returns its status.

    The status is 2 for arguments that the parser rejects, and 1 for a failure, whose message is printed.
    """
    return reporting(parser.prog, lambda: work(parser.parse_args(list(arguments))))


def reporting(command: str, work: Callable[[], int]) -> int:
    """Calls `work`; returns its status, or 1 for a failure, whose message is printed."""
    try:
        return work()
    except SystemExit as end:
        return int(end.code or 0)
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe; the end of the process must not write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as reason:
        words = f"cannot open {reason.filename}: {reason.strerror}" if reason.filename else of_system(reason)
    except _FAILURES as reason:
        words = str(reason) or "out of memory"
    encoding.write(f"{command}: {encoding.plain(words, chr(10))}\n")
    return 1
