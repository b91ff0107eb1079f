"""The commands of the prompt, which begin with '%'; none of them is Lua."""

from __future__ import annotations

import difflib
import os
import subprocess
import tempfile
from collections.abc import Callable

from t7shell.engine import config
from t7shell.engine.options import DIALECTS
from t7shell.host import encoding, screen
from t7shell.host.atomic_write import replacing_path
from t7shell.host.failures import of_system
from t7shell.prompt import clipboard, pages, syntax, system
from t7shell.prompt.interpreter import Interpreter
from t7shell.prompt.syntax import COMMANDS, Command, CommandError, only, words

Run = Callable[[Interpreter, str], None]


def _command(usage: str, summary: str, takes_code: bool = False) -> Callable[[Run], None]:
    def add(run: Run) -> None:
        COMMANDS[usage.split()[0]] = Command(run, usage, summary, takes_code)

    return add


def run(session: Interpreter, line: str) -> None:
    """Runs a command line such as `%time f(3)`. Raises CommandError."""
    name, rest = syntax.parts(line)
    command = COMMANDS.get(name)
    if command is None:
        near = difflib.get_close_matches(name, COMMANDS, 1)
        hint = f"did you mean '%{near[0]}'?" if near else "%magic lists them"
        raise CommandError(f"unknown command '%{name}'; {hint}")
    if rest and command.usage == name:
        raise CommandError(f"%{name}: takes no argument (got '{rest}')")
    command.run(session, rest)


@_command("time CODE", "how long one run of CODE takes", takes_code=True)
def _time(session: Interpreter, code: str) -> None:
    result = session.run_lua(_needed(code, "time"))
    if result is not None and result.ok:
        took, used = session.took
        print(f"{duration(took)} (CPU {duration(used)})")


@_command("timeit CODE", "how long CODE takes, from many runs", takes_code=True)
def _timeit(session: Interpreter, code: str) -> None:
    number = session.enter(_needed(code, "timeit"))
    compiled = session.call(session.prompt_module.compile, encoding.to_bytes(code), number)
    if compiled is None:
        return
    timed = session.call(session.engine.helper("shell.timing").repeated, compiled.values[0])
    if timed is not None:
        best, mean, runs = timed.values
        print(f"{duration(best)} per run (mean {duration(mean)}, {int(runs)} runs in a series)")


@_command("traces CODE", "which loops of CODE are compiled, and why others are not", takes_code=True)
def _traces(session: Interpreter, code: str) -> None:
    code = _needed(code, "traces")
    report = session.engine.helper("shell.trace_report")
    report.start()
    session.run_lua(code)
    pages.show(encoding.from_lua(report.stop()[0]))


@_command("who", "your variables")
def _who(session: Interpreter, _: str) -> None:
    shown = encoding.from_lua(session.prompt_module.who())
    pages.show(shown or "no user variables")


@_command("run FILE [ARGS]", "run a Lua file in this session")
def _run(session: Interpreter, rest: str) -> None:
    arguments = words(_needed(rest, "run"))
    session.run_file(_existing("run", arguments[0]), arguments[1:])


@_command("load FILE", "make a file the next input, to be edited")
def _load(session: Interpreter, rest: str) -> None:
    path = only("load", _needed(rest, "load"))
    if not session.offer(_source(_existing("load", path))):
        raise CommandError(f"%load: inputs cannot be edited here; %run {path} runs it")


@_command("paste", "run the text of the clipboard")
def _paste(session: Interpreter, _: str) -> None:
    source = clipboard.text()
    if source is None:
        raise CommandError(f"%paste: cannot read the clipboard: it needs {clipboard.READERS}")
    if source.strip():
        print(source, flush=True)
        session.evaluate(source)


@_command("reset [-f]", "remove your variables, after asking")
def _reset(session: Interpreter, rest: str) -> None:
    if rest not in ("", "-f"):
        raise CommandError(f"%reset: expected -f (got '{rest}')")
    count = int(session.prompt_module.names()[1])
    if rest != "-f" and not session.confirm(f"remove {count} variable{'s' * (count != 1)}?"):
        return
    session.prompt_module.reset()


@_command("save FILE", "write the inputs of this session to a file")
def _save(session: Interpreter, rest: str) -> None:
    path = os.path.expanduser(only("save", _needed(rest, "save")))
    inputs = encoding.from_lua(session.prompt_module.inputs())
    try:
        with replacing_path(path) as temporary, open(temporary, "wb") as file:
            file.write(encoding.to_bytes(inputs + "\n"))
    except OSError as reason:
        raise CommandError(f"%save: cannot write {path}: {reason.strerror}") from None
    print(f"saved the inputs to {path}")


@_command("edit [FILE]", "edit the last input, or a file, and run it")
def _edit(session: Interpreter, rest: str) -> None:
    if not session.runs_editors:
        raise CommandError("%edit: a notebook has no terminal for editors; %load FILE shows a file as a cell")
    editor = words(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if rest:
        path = os.path.expanduser(only("edit", rest))
        _call([*editor, path])
        session.run_file(_existing("edit", path), [])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "input.lua")
        with open(path, "wb") as file:
            file.write(encoding.to_bytes(session.last_input))
        _call([*editor, path])
        source = _source(path)
    if source.strip():
        print(source, flush=True)
        session.run_lua(source)


@_command("cd [FOLDER]", "change to a folder: `-` is the one before, none the home folder")
def _cd(session: Interpreter, rest: str) -> None:
    system.change_folder(session, rest)


@_command("pwd", "the current folder")
def _pwd(session: Interpreter, _: str) -> None:
    print(os.getcwd())


@_command("ls [ARGS]", "the files of a folder, by the command of the system")
def _ls(session: Interpreter, rest: str) -> None:
    system.run(session, f"{'dir' if os.name == 'nt' else 'ls'} {rest}".strip())


@_command("history [N]", "the inputs of this session with their numbers, or the last N")
def _history(session: Interpreter, rest: str) -> None:
    if rest and not rest.isdigit():
        raise CommandError(f"%history: expected a number (got '{rest}')")
    shown = session.prompt_module.history(*([int(rest)] if rest else []))
    pages.show(encoding.from_lua(shown))


@_command("dialect [NAME]", "say or change the dialect: t7, th, torch5 or modern")
def _dialect(session: Interpreter, name: str) -> None:
    if name and name not in DIALECTS:
        raise CommandError(f"%dialect: expected {', '.join(DIALECTS)} (got '{name}')")
    if name:
        session.set_dialect(name)
    print(encoding.from_lua(session.prompt_module.dialect()))


@_command("debug", "look at the calls of the last error in the debugger")
def _debug(session: Interpreter, _: str) -> None:
    if not session.debug():
        print("there was no error")


@_command("pdb [on|off]", "let the debugger begin at each error")
def _pdb(session: Interpreter, value: str) -> None:
    session.pdb = _switched("pdb", value, session.pdb)
    print("on" if session.pdb else "off")


@_command("checkpoint [on|off]", "let a second Ctrl-C undo the running line")
def _checkpoint(session: Interpreter, value: str) -> None:
    wanted = _switched("checkpoint", value, session.checkpoint is not None)
    if value and not session.set_checkpoint(wanted):
        raise CommandError("%checkpoint: not available on this system or terminal")
    print("on" if session.checkpoint else "off")


@_command("config", "where the settings are; makes the file if there is none")
def _config(session: Interpreter, _: str) -> None:
    try:
        print(config.write_template())
    except OSError as reason:
        raise CommandError(f"%config: {of_system(reason)}") from None


@_command("magic", "this list")
def _magic(session: Interpreter, _: str) -> None:
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
def _lsmagic(session: Interpreter, _: str) -> None:
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


def _switched(name: str, value: str, present: bool) -> bool:
    """The state of a switch after `on`, `off` or neither."""
    if value not in ("", "on", "off"):
        raise CommandError(f"%{name}: expected on or off (got '{value}')")
    return value == "on" if value else present


def _existing(command: str, path: str) -> str:
    path = os.path.expanduser(path)
    if not os.path.isfile(path):
        raise CommandError(f"%{command}: there is no file {path}")
    return path


def _source(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
        return file.read().rstrip("\n")


def _call(command: list[str]) -> None:
    try:
        status = subprocess.call(command)
    except OSError as reason:
        raise CommandError(f"%edit: cannot start {command[0]}: {reason.strerror}") from None
    if status != 0:
        raise CommandError(f"%edit: {command[0]} ended with status {status}; nothing is run")
