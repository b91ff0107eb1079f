"""The command `t7`: runs code, scripts and the prompt."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from t7shell import __version__, native
from t7shell.engine import process
from t7shell.engine.engine import Engine
from t7shell.engine.errors import LuaUnavailable
from t7shell.engine.file_bytes import read_whole
from t7shell.engine.interrupt import waiting
from t7shell.engine.luajit import INTERPRETED, can_compile
from t7shell.engine.options import USAGE, Options, UsageError, parse
from t7shell.engine.result import Result
from t7shell.host import encoding, notices
from t7shell.host.failures import of_system
from t7shell.prompt import debugger

if TYPE_CHECKING:
    from t7shell.engine.interrupt import Watcher

# The modules of the commands; each has a function `main` that takes the arguments after the name.
_COMMANDS = {
    "annotations": "t7shell.cli.language_server",
    "check": "t7shell.cli.check",
    "convert": "t7shell.convert.command",
    "display": "t7shell.packages.display.command",
    "doctest": "t7shell.doctest.command",
    "help": "t7shell.cli.help",
    "inspect": "t7shell.t7file.inspect",
    "kernel": "t7shell.kernel.command",
    "notebook": "t7shell.kernel.notebook",
    "rocks": "t7shell.cli.rocks",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `t7` with the given arguments (those of the process by default); returns the exit status."""
    return guarded(_main, sys.argv[1:] if argv is None else list(argv))


def guarded(work: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Calls ``work`` with the arguments of a command; returns its status: 1 if output cannot be written, or
    LuaJIT or the kernels are missing, 141 if nobody reads it, 130 after Ctrl-C.
    """
    process.open_streams()
    notices.is_command = True
    shown, warnings.showwarning = warnings.showwarning, notices.show_warning
    try:
        status = work(arguments)
        if status:
            process.fail(status)
        return status
    except (LuaUnavailable, native.KernelsUnavailable) as reason:
        encoding.write(f"t7: {reason}\n")
        process.fail(1)
        return 1
    except MemoryError:
        process.out_of_memory()
    except KeyboardInterrupt:
        # While the prompt starts, or a command runs in Python.
        encoding.write("interrupted\n")
        process.fail(process.INTERRUPTED)
        return process.INTERRUPTED
    except OSError as reason:
        # The rest cannot be written, not even at the end of the process.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = process.UNREAD if isinstance(reason, BrokenPipeError) else 1
        if status == 1:
            encoding.write(f"t7: {of_system(reason)}\n")
        process.fail(status)
        return status
    finally:
        notices.is_command = False
        warnings.showwarning = shown


def _main(arguments: list[str]) -> int:
    command = _COMMANDS.get(arguments[0]) if arguments else None
    if command:
        status: int = import_module(command).main(arguments[1:])
        return status
    return start("t7", arguments, parse, USAGE, "`t7 --help` lists the options\n")


def start(
    name: str, arguments: list[str], parse: Callable[[list[str]], Options], usage: str, hint: str
) -> int:
    """Runs the command of a name; after wrong arguments prints the hint, and returns 2."""
    try:
        options = parse(arguments)
    except UsageError as mistake:
        encoding.tell(f"{name}: {mistake}\n{hint}")
        return 2
    if options.help or options.version:
        encoding.write(usage if options.help else _version(), sys.stdout)
        return 0
    return _run_options(options)


def _version() -> str:
    try:
        kernels = native.level()
    except native.KernelsUnavailable as reason:
        kernels = str(reason)
    return f"t7shell {__version__}, kernels {kernels}\n"


def _run_options(options: Options) -> int:
    """Carries out the options in a new Lua state; returns the exit status."""
    _choose_destination(options)
    watcher = process.prepare()
    if options.device:
        os.environ["T7_CUDA"] = options.device
    if options.load_cuda:
        os.environ["T7_LOAD_CUDA"] = options.load_cuda
    engine = Engine(options.dialect or "t7", on_exit=process.end)
    debugger.install(engine, watcher.arm)
    if not can_compile():
        encoding.write(f"t7: {INTERPRETED}\n")
    succeeded = _run(engine, options, watcher) and _succeeded(engine, engine.finish())
    watcher.in_thread = process.interrupted
    unwritten = engine.flush()
    if unwritten:
        raise OSError(f"cannot write the output: {unwritten}")
    pools = sys.modules.get("t7shell.packages.threads.pool")
    if engine.exhausted or (pools and pools.alive()):
        # Threads that still run must not outlive Python, which they call.
        process.end(0 if succeeded else 1)
    return 0 if succeeded else 1


def _choose_destination(options: Options) -> None:
    """Sets where pictures appear. Without an option the user's settings are read at the first picture."""
    where = options.show or ("auto" if options.no_init else None)
    if where:
        from t7shell.packages.display import show

        show.choose(where)


def _run(engine: Engine, options: Options, watcher: Watcher) -> bool:
    """Carries out the options in order until one fails; then starts the prompt if requested.

    Returns False if something failed and no prompt followed.
    """
    script, prompt = options.script, options.interactive
    if script is None and not prompt and all(kind == "l" for kind, _ in options.actions):
        prompt = sys.stdin.isatty()
        script = None if prompt else "-"
    program = [sys.argv[0] if sys.argv else "t7", *options.before_script]
    engine.set_arguments([*program, script] if script else program, options.script_args)
    if prompt or options.debug:
        # %debug at the prompt shows the variables of a failing script as well.
        engine.helper("shell.last_error")[b"keep"] = True
    if prompt:
        _outlive_interrupts(engine, watcher)
    # Option -l requires a package, -e runs code.
    programs = [("require(...)", [value]) if kind == "l" else (value, []) for kind, value in options.actions]
    fine = all(
        _succeeded(engine, engine.execute(code, "=(command line)", args=args)) for code, args in programs
    )
    if fine and script is not None:
        report = engine.helper("shell.trace_report") if options.traces else None
        if report is not None:
            report.start()
        if options.debug:
            engine.helper("shell.breakpoints").start()
        fine = _run_script(engine, script, options.script_args)
        if report is not None:
            engine.flush()
            encoding.write(f"{encoding.from_lua(report.stop()[0])}\n")
        if options.debug and not fine:
            engine.call(engine.helper("shell.breakpoints").post_mortem)
    if prompt:
        return _prompt(engine, watcher, options)
    return fine and _succeeded(engine, engine.serve_windows())


def _outlive_interrupts(engine: Engine, watcher: Watcher) -> None:
    """Makes Ctrl-C stop the script only: the prompt follows."""
    from t7shell.engine.interrupt import LuaInterrupter
    from t7shell.prompt.recovery import STUCK

    process.prepare_prompt()
    engine.helper("torch.utility.interruption").install()
    engine.guard = LuaInterrupter(
        engine.lua, watcher, process.interrupted, lambda: encoding.write(f"{STUCK}ends t7\n")
    )


def _run_script(engine: Engine, script: str, args: Sequence[str]) -> bool:
    if script == "-":
        with waiting():
            source = sys.stdin.buffer.read()
        return _succeeded(engine, engine.execute(source, "=stdin", args=args))
    try:
        with waiting():
            source = read_whole(script)
    except OSError as reason:
        import difflib

        near = difflib.get_close_matches(script, _COMMANDS, 1)
        hint = f"; did you mean `t7 {near[0]}`?" if near else ""
        encoding.tell(f"t7: cannot open {script}: {reason.strerror}{hint}\n")
        return False
    directory = os.path.dirname(script)
    if directory:
        engine.add_script_directory(directory)
    return _succeeded(engine, engine.execute(source, "@" + script, args=args))


def _succeeded(engine: Engine, result: Result) -> bool:
    if not result.ok:
        engine.flush()
        encoding.write(f"t7: {result.report()}\n")
    return result.ok


def _prompt(engine: Engine, watcher: Watcher, options: Options) -> bool:
    from t7shell.prompt.start import start

    start(engine, watcher, not options.no_init, options.dialect, options.plain_input)
    return True
