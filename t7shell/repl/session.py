"""The loop of the prompt."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

from t7shell import __version__, encoding, process
from t7shell.engine import Engine
from t7shell.interrupt import LuaInterrupter
from t7shell.repl import commands, pages, transcript
from t7shell.repl.checkpoint import Checkpoint
from t7shell.repl.inputs import InputSource
from t7shell.repl.progress import Progress
from t7shell.repl.report import report
from t7shell.result import Result, Status

CHUNK_NAME = "=stdin"
QUESTION = re.compile(r"""\s*[\w.:\[\]"']+\s*\?{1,2}\s*$""")
STUCK = "\nstill running in compiled code; Ctrl-C again "
BACK = "\nback to before that line"
LOCAL = re.compile(r"\s*local\b")
MOST_LINES = 200      # of which some may be inputs of their own


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
        self.interrupter: LuaInterrupter | None = None
        self.last_input = ""
        # Seconds of the last input, and of the processor meanwhile, without what showing its values takes.
        self.took = 0.0, 0.0
        self.prompt_module = engine.helper("shell.prompt")
        self.last_error = engine.helper("shell.last_error")
        self._lossy = ""
        self._warned = False
        # Loaded now, because programs may redefine what loading needs.
        for name in ("complete", "help", "checkpoint", "timing", "flush_stdin"):
            engine.helper("shell." + name)
        self.prompt_module.begin()

    def banner(self) -> str:
        return (
            f"t7shell {__version__}: Torch7 programs on LuaJIT and NumPy.\n"
            "?name helps, %magic lists the commands of the prompt, Ctrl-D leaves."
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
                encoding.write(self.engine.recover(reason) + "\n")

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
        elif start.startswith("$"):
            self._system(start[1:].strip())
        elif start.startswith("%"):
            try:
                commands.run(self, start)
            except commands.CommandError as mistake:
                encoding.write(f"{mistake}\n")
            except OSError as reason:
                encoding.write(f"{start.split()[0]}: {reason}\n")
        elif start.startswith("?"):
            self._help(start)
        elif QUESTION.match(source):
            self._help("?" * start.count("?") + start.rstrip("?"))
        elif start:
            self.run_lua(source)

    def run_lua(self, source: str) -> Result | None:
        """Evaluates Lua and shows its values, or what went wrong; None after going back to before it."""
        self.last_input = source
        self.prompt_module.enter(encoding.to_bytes(source))
        may_last = self.engine.helper("shell.checkpoint")
        wanted = self.checkpoint and self.engine.ask(may_last, encoding.to_bytes(source)) is not False
        return self._guarded(lambda: self._execute_and_show(source), bool(wanted))

    def run_file(self, path: str, args: Sequence[str]) -> None:
        """Runs a Lua file in this session, with its arguments in `arg` meanwhile. Raises OSError."""
        with open(path, "rb") as file:
            source = file.read()
        self.prompt_module.enter(b"")
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
        self.prompt_module.dialect(name.encode())
        self.engine.dialect = name
        self.source.prompt = prompt_of(name)

    def set_checkpoint(self, wanted: bool) -> bool:
        """Whether the wish could be met."""
        if wanted and not self.can_go_back:
            return False
        self.checkpoint = Checkpoint() if wanted else None
        return True

    def _execute_and_show(self, source: str) -> Result:
        start, used = time.perf_counter(), time.process_time()
        result = self.engine.execute(source, CHUNK_NAME, "prompt")
        self.took = time.perf_counter() - start, time.process_time() - used
        if result.ok and result.count and not result.silent:
            shown = self.engine.call_with(self.prompt_module.show, result)
            return result if shown.ok else shown
        return result

    def _guarded(self, work: Any, checkpoint: bool = True) -> Result | None:
        """Does some work with Lua from which Ctrl-C comes back, and reports an error."""
        self._warned = False
        if self.checkpoint and checkpoint:
            if self.checkpoint.take():
                self._come_back()
                return None
        else:
            self._lossy = ", ".join(encoding.from_lua(name) for name in self.prompt_module.names().values())
        if self.progress:
            self.progress.start()
        try:
            result: Result = work()
        finally:
            if self.progress:
                self.progress.stop()
            if self.checkpoint:
                self.checkpoint.release()
        if sys.stdin.isatty():
            self.engine.helper("shell.flush_stdin")()
        self.engine.flush()
        if not result.ok:
            encoding.write(report(result, self.engine) + "\n")
        return result

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
        name = encoding.to_bytes(request.lstrip("?").strip())
        helper = self.engine.helper("shell.help")
        if not name:
            pages.show(
                "?name shows how something is called and what it does, ??name its source;\n"
                "%magic lists the commands of the prompt"
            )
        elif request.startswith("??"):
            pages.show(encoding.from_lua(helper.source(name)))
        else:
            pages.show(encoding.from_lua(helper.text(name)))

    def _system(self, command: str) -> None:
        self.engine.flush()
        try:
            if self.engine.dialect == "th":
                done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=False)
                sys.stdout.buffer.write(done.stdout)
                sys.stdout.flush()
                self.prompt_module.keep_output(done.stdout)
            else:
                subprocess.call(command, shell=True)
        except KeyboardInterrupt:
            print()
        except OSError as reason:
            encoding.write(f"$ {command}: {reason}\n")

    def _pieces(self, source: str) -> list[str]:
        """The inputs in one: of a transcript, commands, or lines that together are no program."""
        if transcript.is_transcript(source):
            return transcript.inputs(source, self.is_finished)
        lines = source.strip("\n").split("\n")
        if len(lines) == 1:
            return []
        if is_for_prompt(lines[0]):
            return _commands(lines)
        if len(lines) > MOST_LINES or self._status(source) is not Status.SYNTAX_ERROR:
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
        checked = self.engine.ask(self.engine.check, source, True)
        return None if checked is None else checked.status

    def _one_by_one(self, inputs: list[str]) -> None:
        for one in inputs:
            print(self.source.prompt + one, flush=True)
            if is_for_prompt(one):
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
    """Whether an input is a command of the prompt or of the system, or a question, and no Lua."""
    return source.lstrip().startswith(("%", "$", "?")) or bool(QUESTION.match(source))


def prompt_of(dialect: str) -> str:
    return "th> " if dialect == "th" else "t7> "
