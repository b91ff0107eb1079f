"""The command line of `t7`, read by hand: options and scripts mix as in `lua`, and order counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

DIALECTS = ("t7", "th", "torch5", "modern")
DESTINATIONS = ("auto", "window", "terminal", "file", "none")

USAGE = """\
usage: t7 [options] [script.lua [arguments]]
       t7 help [chapter, name or words]
       t7 check script.lua ...
       t7 doctest [options] file_or_folder ...
       t7 inspect [--json] file.t7 ...
       t7 convert [options] from to           (`t7 convert --help` lists the formats)
       t7 annotations folder
       t7 rocks install name                  (any command of LuaRocks, for the Lua of t7)
       t7 kernel install
       t7 notebook upgrade file.ipynb
       t7 display                             (a web page that shows pictures as they are produced)

Without a script, reads a program from the standard input, or starts the prompt if that is a terminal.

options:
  -e CODE         run CODE; may be given several times
  -l NAME         require the package NAME
  -i              start the prompt afterwards
  --no-init       start the prompt without the user's init.lua and settings
  --dialect NAME  t7 (the default), th, torch5, or modern, which broadcasts
  --device NAME   the device of cutorch, as T7_CUDA sets it: cpu, or pytorch:cuda:0 and other devices
  --no-cuda       let require of cutorch, cunn and cudnn fail, as T7_CUDA=off in the environment does
  --load-cuda=X   files give float or double tensors for those of a GPU, as T7_LOAD_CUDA does
  --show=WHERE    where pictures appear: auto (the default), window, terminal, file or none
  --debug         run the script in the debugger, from its first line; after an error look at its calls
  --traces        say afterwards which loops of the program were compiled, and why others were not
  --version       print the version
  -h, --help      print this help
  -               run the standard input as a script
  --              end of the options
"""


# Options without a value, and the fields that they set.
_FLAGS: dict[str, tuple[str, bool | str]] = {
    "-h": ("help", True),
    "--help": ("help", True),
    "--version": ("version", True),
    "-i": ("interactive", True),
    "--no-init": ("no_init", True),
    "--traces": ("traces", True),
    "--debug": ("debug", True),
    "--no-cuda": ("device", "off"),
}
# Options that take one of several values.
_CHOICES = {"--dialect": DIALECTS, "--load-cuda": ("float", "double"), "--show": DESTINATIONS}


class UsageError(Exception):
    """The command line is not valid; the message says why."""


class Options:
    """`actions` are ('e', code) and ('l', name) in the order given; `script` is None, '-' or a file name, and
    `before_script` the words before it. With `plain_input` the prompt reads lines that cannot be edited."""

    def __init__(self) -> None:
        self.actions: list[tuple[str, str]] = []
        self.script: str | None = None
        self.script_args: list[str] = []
        self.before_script: list[str] = []
        self.interactive = False
        self.plain_input = False
        self.no_init = False
        self.dialect: str | None = None
        self.show: str | None = None
        self.device: str | None = None
        self.load_cuda: str | None = None
        self.traces = False
        self.debug = False
        self.help = False
        self.version = False


def parse(arguments: Sequence[str]) -> Options:
    """Reads the arguments that follow the name of the program. Raises UsageError."""
    return parse_with(read_option, arguments)


def parse_with(read: Callable[[Options, str, list[str]], None], arguments: Sequence[str]) -> Options:
    """Reads options by a function of the options so far, a word, and the words after it; then the script."""
    options = Options()
    rest = list(arguments)
    while rest:
        word = rest[0]
        if word == "--":
            rest.pop(0)
            break
        if word == "-" or not word.startswith("-"):
            break
        rest.pop(0)
        read(options, word, rest)
    options.before_script = list(arguments[: len(arguments) - len(rest)])
    if rest:
        options.script, *options.script_args = rest
    if options.debug and options.script in (None, "-"):
        raise UsageError("--debug: the file of a script is missing")
    return options


def read_option(options: Options, word: str, rest: list[str]) -> None:
    """Reads one option of `t7`, whose value may be the first of the following words."""
    name, equals, value = word.partition("=")
    if word in _FLAGS:
        setattr(options, *_FLAGS[word])
    elif name in _CHOICES:
        value = value if equals else _value(word, rest)
        if value not in _CHOICES[name]:
            raise UsageError(f"{name}: expected {', '.join(_CHOICES[name])} (got '{value}')")
        setattr(options, name[2:].replace("-", "_"), value)
    elif name == "--device":
        options.device = value if equals else _value(word, rest)
        if options.device not in ("cpu", "off") and not options.device.startswith("pytorch:"):
            raise UsageError(f"--device: expected cpu, off or pytorch:<device> (got '{options.device}')")
    elif word[:2] in ("-e", "-l"):
        options.actions.append((word[1], word[2:] or _value(word, rest)))
    else:
        import difflib

        long = [known for known in (*_FLAGS, *_CHOICES, "--device") if known.startswith("--")]
        near = difflib.get_close_matches(name, long, 1)
        raise UsageError(f"unknown option '{word}'" + (f"; did you mean {near[0]}?" if near else ""))


def _value(word: str, rest: list[str]) -> str:
    if not rest:
        raise UsageError(f"{word}: a value is missing")
    return rest.pop(0)
