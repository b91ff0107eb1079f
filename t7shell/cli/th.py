"""The command `th`: the shell in the dialect `th`, with the options that Torch7's command had."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from t7shell.cli.main import guarded, start
from t7shell.engine.options import Options, UsageError, parse_with, read_option

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


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `th` with the given arguments (those of the process by default); returns the exit status."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    return guarded(lambda words: start("th", words, parse, USAGE, USAGE), arguments)


def parse(arguments: Sequence[str]) -> Options:
    """Reads the arguments that follow the name of the command. Raises UsageError."""
    options = parse_with(_read_option, arguments)
    options.dialect = "th"
    if options.script is None:
        # As in Torch7, `arg` has the options.
        options.script_args = list(arguments)
        options.before_script = []
        options.interactive = options.interactive or all(word in _GLOBALS for word in arguments)
    return options


def _read_option(options: Options, word: str, rest: list[str]) -> None:
    if word in ("-i", "--interactive", "-ide"):
        options.interactive = True
        options.plain_input = options.plain_input or word == "-ide"
    elif word in _GLOBALS:
        options.actions.append(("e", f"require('shell.global_monitor').begin('{_GLOBALS[word]}')"))
    elif word in _ABSENT:
        raise UsageError(f"{word}: {_ABSENT[word]} is not available")
    elif word in ("-h", "--help") or word[:2] in ("-e", "-l"):
        read_option(options, word, rest)
    else:
        raise UsageError(f"unrecognized flag {word}")


if __name__ == "__main__":
    sys.exit(main())
