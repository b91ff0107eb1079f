"""The command `th`: the shell in the dialect `th`, with the options that Torch7's command had."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from t7shell.cli.main import guarded, run
from t7shell.core import encoding
from t7shell.core.options import Options

USAGE = """\
usage: th [options] [script.lua [arguments]]

Without a script, starts the prompt. The options are those of Torch7's command; `t7 --help` lists more.

options:
  -l NAME              require the package NAME
  -e CODE              run CODE
  -i, --interactive    start the prompt afterwards
  -ide                 start the prompt afterwards, without editing of lines
  -g, --globals        warn about global variables that are created, or read before
  -gg, --gglobals      raise errors for them
  -h, --help           print this help
"""

_GLOBALS = {"-g": "warn", "--globals": "warn", "-gg": "fail", "--gglobals": "fail"}
_ABSENT = {
    "-a": "an event loop (libuv)", "--async": "an event loop (libuv)",
    "-x": "the server of gfx", "--gfx": "the server of gfx",
}  # fmt: skip


class _UsageError(Exception):
    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `th` with the given arguments (those of the process by default); returns the exit status."""
    return guarded(_main, sys.argv[1:] if argv is None else list(argv))


def _main(arguments: list[str]) -> int:
    try:
        options = parse(arguments)
    except _UsageError as mistake:
        encoding.write(f"th: {mistake}\n{USAGE}")
        return 2
    if options.help:
        encoding.write(USAGE, sys.stdout)
        return 0
    return run(options)


def parse(arguments: Sequence[str]) -> Options:
    """Reads the arguments that follow the name of the command."""
    options = Options()
    options.dialect = "th"
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--":
            break
        if word in ("-h", "--help"):
            options.help = True
        elif word in ("-i", "--interactive", "-ide"):
            options.interactive = True
            options.plain_input = options.plain_input or word == "-ide"
        elif word in _GLOBALS:
            monitor = f"require('shell.global_monitor').begin('{_GLOBALS[word]}')"
            options.actions.append(("e", monitor))
        elif word in _ABSENT:
            raise _UsageError(f"{word}: {_ABSENT[word]} is not here")
        elif word[:2] in ("-e", "-l"):
            if not word[2:] and not rest:
                raise _UsageError(f"{word}: a value is missing")
            options.actions.append((word[1], word[2:] or rest.pop(0)))
        else:
            raise _UsageError(f"unrecognized flag {word}")
    if rest:
        options.before_script = list(arguments[: len(arguments) - len(rest)])
        options.script, *options.script_args = rest
    else:
        # As there, `arg` has the options.
        options.script_args = list(arguments)
        if all(word in _GLOBALS for word in arguments):
            options.interactive = True
    return options


if __name__ == "__main__":
    sys.exit(main())
