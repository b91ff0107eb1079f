"""The commands of the prompt, which begin with '%'; none of them is Lua."""

from __future__ import annotations

import difflib
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from t7shell.engine.options import DIALECTS
from t7shell.host import encoding
from t7shell.prompt import clipboard, config, pages, screen, system

if TYPE_CHECKING:
    from t7shell.prompt.session import Session


class CommandError(Exception):
    """The command failed; the message gives the reason."""


@dataclass(frozen=True)
class Command:
    """A command of the prompt: `run` takes the session and the text after the name."""

    run: Callable[[Session, str], None]
    usage: str
    summary: str


COMMANDS: dict[str, Command] = {}


def _command(usage: str, summary: str) -> Callable[[Callable[[Session, str], None]], None]:
    def add(run: Callable[[Session, str], None]) -> None:
        COMMANDS[usage.split()[0]] = Command(run, usage, summary)

    return add


_NAME = re.compile(r"%%?(\S*)")


def _parts(line: str) -> tuple[str, str]:
    """The name of a command and the text after it, which is the rest of the cell in notebooks: `%%time`."""
    text = line.strip()
    name = _NAME.match(text)
    return (name[1], text[name.end() :].strip()) if name else ("", text)


# The first characters of system commands, and of all inputs for the prompt. Notebooks write `!ls`.
SYSTEM = ("$", "!")
BEGINNINGS = ("%", "?", *SYSTEM)


_HEREDOC = re.compile(r"<<-?\s*([\"']?)(\w+)\1")


def length(lines: list[str]) -> int:
    """The number of lines of the command that begins with the first of them.

    One, unless a backslash ends it or it has a here-document.
    """
    count = 1
    while lines[count - 1].endswith("\\") and count < len(lines):
        count += 1
    document = _HEREDOC.search(lines[0])
    if document and lines[0].lstrip().startswith(SYSTEM):
        ends = (at for at in range(count, len(lines)) if lines[at].strip() == document[2])
        count = next(ends, count - 1) + 1
    return count


def code_of(line: str) -> str | None:
    """The Lua code of a command that takes code; None for other lines. That of `%%time` may be below it."""
    start = line.lstrip()
    name, code = _parts(start)
    command = COMMANDS.get(name) if start.startswith("%") else None
    if command is None or not command.usage.endswith(" CODE"):
        return None
    return code if code or start.startswith("%%") else None


def run(session: Session, line: str) -> None:
    """Runs a command line such as `%time f(3)`. Raises CommandError."""
    name, rest = _parts(line)
    command = COMMANDS.get(name)
    if command is None:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean '%{near[0]}'?" if near else "%magic lists them"
        raise CommandError(f"unknown command '%{name}'; {hint}")
    if rest and command.usage == name:
        raise CommandError(f"%{name}: takes no argument (got '{rest}')")
    command.run(session, rest)


@_command("time CODE", "how long one run of CODE takes")
def _time(session: Session, code: str) -> None:
    result = session.run_lua(_needed(code, "time"))
    if result is not None and result.ok:
        took, used = session.took
        print(f"{duration(took)} (CPU {duration(used)})")


@_command("timeit CODE", "how long CODE takes, from many runs")
def _timeit(session: Session, code: str) -> None:
    number = session.enter(_needed(code, "timeit"))
    compiled = session.call(session.prompt_module.compile, encoding.to_bytes(code), number)
    if compiled is None:
        return
    timed = session.call(session.engine.helper("shell.timing").repeated, compiled.values[0])
    if timed is not None:
        best, mean, runs = timed.values
        print(f"{duration(best)} per run (mean {duration(mean)}, {int(runs)} runs in a series)")


@_command("traces CODE", "which loops of CODE are compiled, and why others are not")
def _traces(session: Session, code: str) -> None:
    code = _needed(code, "traces")
    report = session.engine.helper("shell.trace_report")
    report.start()
    session.run_lua(code)
    pages.show(encoding.from_lua(report.stop()[0]))


@_command("who", "your variables")
def _who(session: Session, _: str) -> None:
    shown = encoding.from_lua(session.prompt_module.who())
    pages.show(shown or "no user variables")


@_command("run FILE [ARGS]", "run a Lua file in this session")
def _run(session: Session, rest: str) -> None:
    words = _words(_needed(rest, "run"))
    session.run_file(_existing(words[0]), words[1:])


@_command("load FILE", "make a file the next input, to be edited")
def _load(session: Session, rest: str) -> None:
    path = _only("load", _needed(rest, "load"))
    with open(_existing(path), "rb") as file:
        source = file.read().decode("utf-8", "surrogateescape").rstrip("\n")
    if not session.offer(source):
        raise CommandError(f"%load: inputs cannot be edited here; %run {path} runs it")


@_command("paste", "run the text of the clipboard")
def _paste(session: Session, _: str) -> None:
    source = clipboard.text()
    if source is None:
        raise CommandError(f"%paste: the clipboard cannot be read; it takes {clipboard.READERS}")
    if source.strip():
        print(source, flush=True)
        session.evaluate(source)


@_command("reset [-f]", "remove your variables, after asking")
def _reset(session: Session, rest: str) -> None:
    if rest not in ("", "-f"):
        raise CommandError(f"%reset: expected -f (got '{rest}')")
    count = int(session.prompt_module.names()[1])
    if rest != "-f" and not session.confirm(f"remove {count} variables?"):
        return
    session.prompt_module.reset()


@_command("save FILE", "write the inputs of this session to a file")
def _save(session: Session, rest: str) -> None:
    path = os.path.expanduser(_only("save", _needed(rest, "save")))
    inputs = encoding.from_lua(session.prompt_module.inputs())
    try:
        with open(path, "wb") as file:
            file.write(encoding.to_bytes(inputs + "\n"))
    except OSError as reason:
        raise CommandError(f"%save: cannot write {path}: {reason.strerror}") from None
    print(f"the inputs are in {path}")


@_command("edit [FILE]", "edit the last input, or a file, and run it")
def _edit(session: Session, rest: str) -> None:
    editor = _words(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if rest:
        path = os.path.expanduser(_only("edit", rest))
        _call([*editor, path])
        session.run_file(_existing(path), [])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input.lua")
        with open(path, "wb") as file:
            file.write(encoding.to_bytes(session.last_input))
        _call([*editor, path])
        with open(path, "rb") as file:
            source = file.read().decode("utf-8", "surrogateescape").rstrip("\n")
    if source.strip():
        print(source, flush=True)
        session.run_lua(source)


@_command("cd [FOLDER]", "change to a folder: `-` is the one before, none the home folder")
def _cd(session: Session, rest: str) -> None:
    target = _only("cd", rest) if rest else "~"
    if target == "-":
        if not session.last_folder:
            raise CommandError("%cd: no folder before this one")
        target = session.last_folder
    before = os.getcwd()
    try:
        os.chdir(os.path.expanduser(target))
    except OSError as reason:
        raise CommandError(f"%cd: {target}: {reason.strerror}") from None
    session.last_folder = before
    print(os.getcwd())


@_command("pwd", "the current folder")
def _pwd(session: Session, _: str) -> None:
    print(os.getcwd())


@_command("ls [ARGS]", "the files of a folder, by the command of the system")
def _ls(session: Session, rest: str) -> None:
    system.run(session, f"{'dir' if os.name == 'nt' else 'ls'} {rest}".strip())


@_command("history [N]", "the inputs of this session with their numbers, or the last N")
def _history(session: Session, rest: str) -> None:
    if rest and not rest.isdigit():
        raise CommandError(f"%history: expected a number (got '{rest}')")
    shown = session.prompt_module.history(*([int(rest)] if rest else []))
    pages.show(encoding.from_lua(shown))


@_command("dialect [NAME]", "say or change the dialect: t7, th, torch5 or modern")
def _dialect(session: Session, name: str) -> None:
    if name and name not in DIALECTS:
        raise CommandError(f"%dialect: expected {', '.join(DIALECTS)} (got '{name}')")
    if name:
        session.set_dialect(name)
    print(encoding.from_lua(session.prompt_module.dialect()))


@_command("debug", "look at the calls of the last error in the debugger")
def _debug(session: Session, _: str) -> None:
    if not session.debug():
        print("there was no error")


@_command("pdb [on|off]", "let the debugger begin at each error")
def _pdb(session: Session, value: str) -> None:
    session.pdb = _switched("pdb", value, session.pdb)
    print("on" if session.pdb else "off")


@_command("checkpoint [on|off]", "let a second Ctrl-C undo the running line")
def _checkpoint(session: Session, value: str) -> None:
    wanted = _switched("checkpoint", value, session.checkpoint is not None)
    if value and not session.set_checkpoint(wanted):
        raise CommandError("%checkpoint: this system or terminal has none")
    print("on" if session.checkpoint else "off")


@_command("config", "where the settings are; makes the file if there is none")
def _config(session: Session, _: str) -> None:
    try:
        print(config.write_template())
    except OSError as reason:
        raise CommandError(f"%config: {reason}") from None


@_command("magic", "this list")
def _magic(session: Session, _: str) -> None:
    rows = [("%" + command.usage, command.summary) for command in COMMANDS.values()]
    rows += [
        ("$ COMMAND", "run a command of the system"),
        ("?NAME, NAME?", "how to use something, and what it does; help(VALUE) does the same"),
        ("??NAME", "the source of a function"),
        ("?CHAPTER, ?WORD", "a chapter of the manual, or what the manual has about a word"),
        ("exit, quit", "leave"),
    ]
    pages.show(screen.table(rows, screen.width()))


@_command("lsmagic", "the names of these commands")
def _lsmagic(session: Session, _: str) -> None:
    pages.show(screen.filled("  ".join("%" + name for name in sorted(COMMANDS)), screen.width(), ""))


def duration(seconds: float) -> str:
    """Formats seconds in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def usage(name: str) -> str:
    """The usage of a command, by its name with the percent sign."""
    command = COMMANDS.get(name[1:])
    if command is None:
        return f"unknown command '{name}'; %magic lists them"
    return f"%{command.usage}\n\n{command.summary[0].upper()}{command.summary[1:]}."


def _needed(rest: str, name: str) -> str:
    if not rest:
        raise CommandError(f"%{name}: usage: %{COMMANDS[name].usage}")
    return rest


def _only(name: str, rest: str) -> str:
    """The only word of an argument."""
    words = _words(rest)
    if len(words) != 1:
        raise CommandError(f"%{name}: expected one name (got '{rest}')")
    return words[0]


def _switched(name: str, value: str, present: bool) -> bool:
    """The state of a switch after `on`, `off` or neither."""
    if value not in ("", "on", "off"):
        raise CommandError(f"%{name}: expected on or off (got '{value}')")
    return value == "on" if value else present


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as reason:
        raise CommandError(f"{line}: {reason}") from None


def _existing(path: str) -> str:
    path = os.path.expanduser(path)
    if not os.path.isfile(path):
        raise CommandError(f"there is no file {path}")
    return path


def _call(command: list[str]) -> None:
    try:
        status = subprocess.call(command)
    except OSError as reason:
        raise CommandError(f"%edit: cannot start {command[0]}: {reason.strerror}") from None
    if status != 0:
        raise CommandError(f"%edit: {command[0]} ended with status {status}; nothing is run")
