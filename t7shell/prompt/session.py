"""The loop of the prompt."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from t7shell import __version__
from t7shell.core import encoding, process
from t7shell.core.compiled_loops import CompiledLoops
from t7shell.core.engine import Engine
from t7shell.core.interrupt import LuaInterrupter
from t7shell.core.result import Result, Status
from t7shell.prompt import commands, help, pages, screen, transcript
from t7shell.prompt.checkpoint import Checkpoint
from t7shell.prompt.inputs import InputSource
from t7shell.prompt.progress import Progress
from t7shell.prompt.report import report
from t7shell.prompt.reserve import Reserve
from t7shell.prompt.screen import Colors

LEAVE = ("exit", "quit", "exit()", "quit()")
NO_MEMORY = "not enough memory"
FULL = "there is hardly any memory left: set large variables to nil; without more room t7 ends"
QUESTION = re.compile(r"""\s*%?[\w.:\[\]"']+\s*\?{1,2}\s*$""")
STUCK = "\nstill running in compiled code; Ctrl-C again "
BACK = "\nback to before that line"
# `cd` alone or with a folder: in a shell of its own it would change nothing.
CD = re.compile(r"cd(?:\s+([^;&|<>]+))?\s*")
LOCAL = re.compile(r"\s*local\b")
MOST_LINES = 200  # of which some may be inputs of their own


class Session:
    """Reads inputs from a source and evaluates each once in an engine.

    An error is reported and leaves everything as it was before the input. `checkpoint`, where there is one,
    is taken before lines that may not be possible to stop.
    """

    def __init__(self, engine: Engine, source: InputSource) -> None:
        self.engine = engine
        self.source = source
        self.checkpoint: Checkpoint | None = None
        self.can_go_back = False
        self.progress: Progress | None = None
        self.reserve = Reserve()
        self.colors = Colors()
        # The folder before the last %cd.
        self.last_folder = ""
        self.interrupter: LuaInterrupter | None = None
        # The number of the last input of Lua; chunks are named for it.
        self.number = 0
        self.last_input = ""
        # Seconds of the last input, and of the processor meanwhile, without what showing its values takes.
        self.took = 0.0, 0.0
        self.prompt_module = engine.helper("shell.prompt")
        self.last_error = engine.helper("shell.last_error")
        self.system = engine.helper("shell.system")
        self._lossy = ""
        self._warned = False
        # Loaded now, because programs may redefine what loading needs.
        for name in ("complete", "help", "usage", "timing", "flush_stdin"):
            engine.helper("shell." + name)
        self.prompt_module.begin(self._show_record)

    def banner(self) -> str:
        return (
            f"t7shell {__version__}: Torch7 programs on LuaJIT and NumPy.\n"
            "? shows how to get help, %magic lists the commands of the prompt, Ctrl-D leaves."
        )

    def run(self) -> None:
        """Runs until the end of the input."""
        self.engine.flush()
        print(self.banner(), flush=True)
        while True:
            try:
                self.evaluate(self.source.read(self.is_finished))
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            except self.engine.failures as reason:
                message = self.engine.recover(reason)
                encoding.write(message + "\n")
                if isinstance(reason, MemoryError) or NO_MEMORY in message:
                    self._free_memory()

    def _free_memory(self) -> bool:
        """Makes room after `not enough memory`; false when what is left is little. Ends the process without
        any."""
        if not self.reserve.give():
            process.interrupted("t7: out of memory", 1)
        self.engine.ask(self.prompt_module.free_memory)
        return self.reserve.fill()

    def is_finished(self, source: str) -> bool:
        """False for an input that more lines could make right."""
        code = commands.code_of(source)
        if code is None and (is_for_prompt(source) or transcript.is_transcript(source)):
            return True
        return self._status(code or source) is not Status.INCOMPLETE

    def evaluate(self, source: str) -> None:
        """Does what an input asks for: Lua, a command, help, or the inputs of a transcript."""
        start = source.strip()
        pieces = self._pieces(source)
        if pieces:
            self._one_by_one(pieces)
        elif start.startswith(commands.SYSTEM):
            self._system(start[1:].strip())
        elif start.startswith("%") and not QUESTION.match(source):
            try:
                commands.run(self, start)
            except commands.CommandError as mistake:
                encoding.write(f"{mistake}\n")
            except OSError as reason:
                encoding.write(f"{start.split()[0]}: {reason}\n")
        elif start in LEAVE and not self.engine.ask(self.prompt_module.has, start.strip("()").encode()):
            raise EOFError
        elif start in ("help", "help()") and self.engine.ask(self.prompt_module.has_help):
            self._help("?")
        elif start.startswith("?"):
            self._help(start)
        elif QUESTION.match(source):
            self._help("?" * start.count("?") + start.rstrip("?"))
        elif start:
            self.run_lua(source)

    def run_lua(self, source: str) -> Result | None:
        """Evaluates Lua and shows its values, or what went wrong; None after going back to before it."""
        self.enter(source)
        return self._guarded(lambda: self._execute_and_show(source))

    def enter(self, source: str) -> int:
        """Counts an input of Lua that is about to run; returns its number."""
        self.last_input = source
        self.number = int(self.prompt_module.enter(encoding.to_bytes(source)))
        return self.number

    def run_file(self, path: str, args: Sequence[str]) -> None:
        """Runs a Lua file in this session, with its arguments in `arg` meanwhile. Raises OSError."""
        with open(path, "rb") as file:
            source = file.read()
        self.prompt_module.enter(None)
        before = self.prompt_module.arguments()
        self.prompt_module.arguments(self.engine.argument_table([path], args))
        try:
            self._guarded(lambda: self.engine.execute(source, "@" + path, args=args))
        finally:
            self.prompt_module.arguments(before)

    def call(self, function: Any, *args: Any) -> Result | None:
        """Calls a Lua function as part of an input; None if that failed, which is reported."""
        result = self._guarded(lambda: self.engine.call(function, *args))
        return result if result is not None and result.ok else None

    def confirm(self, question: str) -> bool:
        """Asks on a terminal; programs that type are taken to mean what they say."""
        if not sys.stdin.isatty():
            return True
        try:
            return input(question + " (y/[n]) ").strip().lower() in ("y", "yes")
        except (EOFError, KeyboardInterrupt):
            print()
            return False

    def set_dialect(self, name: str) -> None:
        self.engine.set_dialect(name)
        self.source.prompt = prompt_of(name)

    def set_checkpoint(self, wanted: bool) -> bool:
        """Tells whether the wish could be met."""
        if wanted and not self.can_go_back:
            return False
        self.checkpoint = Checkpoint() if wanted else None
        return True

    def _execute_and_show(self, source: str) -> Result:
        start, used = time.perf_counter(), time.process_time()
        result = self.engine.execute(self._code(source), f"=[{self.number}]", "prompt")
        self.took = time.perf_counter() - start, time.process_time() - used
        if result.ok and result.count and not result.silent:
            shown = self._show(result)
            if shown.ok and result.values == [None]:
                self._hint_for_nil(source)
            return result if shown.ok else shown
        return result

    def _hint_for_nil(self, source: str) -> None:
        hint = self.engine.ask(self.last_error.hint_for_nil, encoding.to_bytes(source))
        if hint:
            encoding.write(f"({encoding.from_lua(hint)})\n")

    def _show(self, result: Result) -> Result:
        """Shows the values of an input; the result says what went wrong."""
        return self.engine.call_with(self.prompt_module.show, result)

    def _fail(self, result: Result) -> None:
        """Says why an input failed."""
        encoding.write(report(result, self.engine, self.colors) + "\n")

    def _guarded(self, work: Any) -> Result | None:
        """Does some work with Lua from which Ctrl-C comes back, and reports an error."""
        self._warned = False
        self.reserve.fill()
        if self.checkpoint and self.checkpoint.take():
            self._come_back()
            return None
        if self.checkpoint and not self.checkpoint.taken:
            self._break_loops()
        if not self.checkpoint or not self.checkpoint.taken:
            self._lossy = ", ".join(encoding.from_lua(name) for name in self.prompt_module.names().values())
        try:
            result, full = self._worked(work)
        finally:
            if self.checkpoint:
                self.checkpoint.release()
        if sys.stdin.isatty():
            self.engine.helper("shell.flush_stdin")()
        self.engine.flush()
        if not result.ok:
            self._fail(result)
        if full:
            encoding.write(FULL + "\n")
        return result

    def _break_loops(self) -> None:
        """Lets Ctrl-C leave compiled loops, while there is no way back from a line."""
        if self.interrupter and not self.interrupter.loops:
            self.interrupter.loops = CompiledLoops(self.engine)
            # Those that were compiled before are not known.
            self.interrupter.loops.flush()

    def _worked(self, work: Any) -> tuple[Result, bool]:
        """Does some work, and says whether it left hardly any memory. If so, and it can be undone, it is."""
        if self.progress:
            self.progress.start()
        try:
            result: Result = work()
        except MemoryError:
            result = Result(Status.ERROR, message=NO_MEMORY)
        finally:
            if self.progress:
                self.progress.stop()
        full = NO_MEMORY in result.message and not self._free_memory()
        if full and self.checkpoint and self.checkpoint.taken:
            encoding.write(NO_MEMORY + "\n")
            self.checkpoint.go_back()
        return result, full

    def _come_back(self) -> None:
        """Makes this process, forked before a line, the prompt."""
        if self.interrupter:
            self.interrupter.restart()
        if self.progress:
            self.progress.clear()
        print(BACK, flush=True)

    def give_up(self) -> None:
        """Another Ctrl-C while Lua did not stop: goes back to before the line, or ends the process."""
        if self.checkpoint and self.checkpoint.taken:
            self.checkpoint.go_back()
        if self._warned or not self._lossy:
            process.interrupted("\nthis loop is compiled and cannot be stopped without ending t7")
        self._warned = True
        encoding.write(
            f"\nthis line cannot be stopped; Ctrl-C again ends t7, and these are lost: {self._lossy}\n"
        )

    def explain(self) -> None:
        """Lua has not stopped at once after Ctrl-C."""
        if self.checkpoint and self.checkpoint.taken:
            encoding.write(STUCK + "goes back to before this line\n")
        elif self._warned:
            return
        elif self._lossy:
            encoding.write(STUCK + "says what would be lost by ending t7\n")
        else:
            encoding.write(STUCK + "ends t7\n")

    def _help(self, request: str) -> None:
        name = request.lstrip("?").strip()
        columns = screen.width()
        if not name:
            pages.show(help.general_text(columns))
        elif request.startswith("??"):
            source = self.engine.ask(self.engine.helper("shell.help").source, encoding.to_bytes(name))
            pages.show(encoding.from_lua(source or ""))
        elif name.startswith("%"):
            pages.show(commands.usage(name))
        else:
            pages.show(help.text_for(name, self.engine, columns))

    def _show_record(self, record: Any) -> None:
        """Shows what `help(value)` of Lua found."""
        self.engine.flush()
        columns = screen.width()
        pages.show(help.general_text(columns) if record is None else help.record_text(record, columns))

    def _system(self, command: str) -> None:
        self.engine.flush()
        folder = CD.fullmatch(command)
        if folder:
            self.evaluate(f"%cd {folder[1] or ''}")
            return
        try:
            if encoding.from_lua(self.prompt_module.dialect()) == "th":
                done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=False)
                sys.stdout.buffer.write(done.stdout)
                sys.stdout.flush()
                self.prompt_module.keep_output(done.stdout)
                status = done.returncode
            else:
                status = subprocess.call(command, shell=True)
            if status:
                encoding.write(f"(status {status})\n" if status > 0 else f"(killed by signal {-status})\n")
        except KeyboardInterrupt:
            print()
        except OSError as reason:
            encoding.write(f"$ {command}: {reason}\n")

    def _pieces(self, source: str) -> list[str]:
        """The inputs in one: of a transcript, commands, or lines that together are not a program."""
        if transcript.is_transcript(source):
            return transcript.inputs(source, self.is_finished)
        lines = source.strip("\n").split("\n")
        if len(lines) == 1:
            return []
        if is_for_prompt(lines[0]):
            return _commands(lines)
        if self._status(source) is not Status.SYNTAX_ERROR:
            return []
        parts = transcript.code_before(source)
        if parts and self._status(parts[0]) is not Status.INCOMPLETE:
            return [parts[0], *transcript.inputs(parts[1], self.is_finished)]
        if len(lines) > MOST_LINES:
            return []
        pieces = [""]
        for line in lines:
            if self.is_finished(pieces[-1]):
                pieces.append(line)
            else:
                pieces[-1] += "\n" + line
        pieces = [piece for piece in pieces if piece.strip()]
        # The local variables of one input are not those of the next.
        if any(LOCAL.match(piece) for piece in pieces[:-1]):
            return []
        return pieces if all(self._status(piece) is Status.OK for piece in pieces) else []

    def _status(self, source: str) -> Status | None:
        status = self._compiled(source)
        code = self._translated(source) if status is Status.SYNTAX_ERROR else None
        return self._compiled(code) if code else status

    def _compiled(self, source: str) -> Status | None:
        checked = self.engine.ask(self.engine.check, source, True, f"=[{self.number + 1}]")
        return None if checked is None else checked.status

    def _translated(self, source: str) -> str | None:
        """The Lua of an input with commands of the system among its lines; None for others."""
        code = self.engine.ask(self.system.translate, encoding.to_bytes(source)) if "\n" in source else None
        return encoding.from_lua(code) if code else None

    def _code(self, source: str) -> str:
        code = self._translated(source)
        if not code or self._compiled(source) is not Status.SYNTAX_ERROR:
            return source
        # An error is about what was typed.
        return code if self._compiled(code) is Status.OK else source

    def _one_by_one(self, inputs: list[str]) -> None:
        for one in inputs:
            print(self.source.prompt + one, flush=True)
            if is_for_prompt(one) or self._pieces(one):
                self.evaluate(one)
                continue
            result = self.run_lua(one)
            if result is None or result.status is Status.INTERRUPTED:
                return


def _commands(lines: list[str]) -> list[str]:
    """The inputs in lines of which the first is for the prompt. Code and commands of the system may go on."""
    if all(is_for_prompt(line) for line in lines if line.strip()):
        apart = not any("<<" in line or line.endswith("\\") for line in lines)
        return [line for line in lines if line.strip()] if apart else []
    takes_more = lines[0].lstrip().startswith("$") or commands.code_of(lines[0]) is not None
    return [] if takes_more else [lines[0], "\n".join(lines[1:])]


def is_for_prompt(source: str) -> bool:
    """Tells whether an input is a command of the prompt or of the system, or a question, and no Lua."""
    return source.lstrip().startswith(commands.BEGINNINGS) or bool(QUESTION.match(source))


def prompt_of(dialect: str) -> str:
    return "th> " if dialect == "th" else "t7> "
