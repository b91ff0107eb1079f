"""The commands `t7` and `th`; `python -m t7shell` is the same as `t7`."""

import sys


def t7() -> int:
    """Runs `t7` with the arguments of the process; returns the exit status."""
    return _run("t7shell.cli.main")


def th() -> int:
    """Runs `th` with the arguments of the process; returns the exit status."""
    return _run("t7shell.cli.th")


def _run(module: str) -> int:
    """Runs the function `main` of a module; Ctrl-C during its imports leaves no traceback."""
    try:
        from importlib import import_module

        status: int = import_module(module).main()
    except KeyboardInterrupt:
        # As engine/process.py ends a command, which may not be imported yet.
        print("interrupted", file=sys.stderr)
        return 130
    return status


if __name__ == "__main__":
    sys.exit(t7())
