"""Runs inputs and files for the prompt, and keeps the state of a session."""

from __future__ import annotations

import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from t7shell.engine.engine import Engine
from t7shell.engine.file_bytes import read_whole
from t7shell.engine.interrupt import waiting
from t7shell.engine.result import Result, Status
from t7shell.host import encoding
from t7shell.prompt.analysis import Analysis
from t7shell.prompt.inputs import InputSource
from t7shell.prompt.recovery import Recovery


class Interpreter(Recovery, ABC):
    """Runs inputs of Lua and files, each once, in an engine.

    An error is reported and leaves the session as it was before the input.
    """

    # Whether Lua shows the values of an input when it has run it.
    lua_shows = True
    # Whether an editor can take the terminal.
    runs_editors = True

    def __init__(self, engine: Engine, source: InputSource) -> None:
        super().__init__(engine)
        self.source = source
        # The folder before the last %cd.
        self.last_folder = ""
        self.analysis = Analysis(engine)
        self.last_input = ""
        # Whether the prompt shows the number of the next input.
        self.numbers = False
        # Whether the debugger begins at each error.
        self.pdb = False
        # Wall-clock and processor seconds of the last input, without the display of its values.
        self.took = 0.0, 0.0
        self.last_error = engine.helper("shell.last_error")

    @abstractmethod
    def evaluate(self, source: str) -> None:
        """Evaluates an input of any kind."""

    def run_lua(self, source: str) -> Result | None:
        """Evaluates Lua and shows its values or its error; None after a return to the checkpoint."""
        self.last_input = source
        result = self._guarded(lambda: self._execute_and_show(source))
        if result is None:
            self.enter(source)
        return result

    def enter(self, source: str) -> int:
        """Records an input of Lua that `run_lua` does not run; returns its number."""
        self.last_input = source
        self.analysis.forget()
        self.analysis.number = int(self.prompt_module.enter(encoding.to_bytes(source)))
        return self.analysis.number

    def run_file(self, path: str, args: Sequence[str]) -> None:
        """Runs a Lua file in this session, with its arguments in `arg`. Raises OSError."""
        with waiting():
            source = read_whole(path)
        self.prompt_module.enter(None)
        before = self.prompt_module.arguments()
        self.prompt_module.arguments(self.engine.argument_table([path], args))
        try:
            self._guarded(lambda: self.engine.execute(source, "@" + path, args=args))
        finally:
            self.prompt_module.arguments(before)

    def debug(self) -> bool:
        """Opens the debugger on the last error; false if there was none."""
        wanted, self.pdb = self.pdb, False
        try:
            found = self.call(self.engine.helper("shell.breakpoints").post_mortem)
        finally:
            self.pdb = wanted
        return found is None or bool(found.values[0])

    def _guarded(self, work: Callable[[], Result]) -> Result | None:
        result = super()._guarded(work)
        if self.pdb and result is not None and result.status is Status.ERROR:
            self.debug()
        return result

    def call(self, function: Any, *args: Any) -> Result | None:
        """Calls a Lua function as part of an input; None if that failed, which is reported."""
        result = self._guarded(lambda: self.engine.call(function, *args))
        return result if result is not None and result.ok else None

    def confirm(self, question: str) -> bool:
        """Asks for confirmation if stdin is a terminal; otherwise returns True."""
        if not sys.stdin.isatty():
            return True
        try:
            with waiting():
                return input(question + " (y/[n]) ").strip().lower() in ("y", "yes")
        except (EOFError, KeyboardInterrupt):
            print()
            return False

    def offer(self, source: str) -> bool:
        """Makes a text the next input, which the user edits; false if inputs are not edited."""
        return self.source.offer(source)

    def wait(self, command: subprocess.Popen[bytes]) -> bytes | None:
        """Waits for a command of the system, and kills it at Ctrl-C; returns its output from a pipe."""
        try:
            with waiting():
                return command.communicate()[0]
        except KeyboardInterrupt:
            command.kill()
            raise

    def set_dialect(self, name: str) -> None:
        self.engine.set_dialect(name)
        self._set_prompt()

    def _set_prompt(self) -> None:
        number = self.analysis.number + 1 if self.numbers else None
        self.source.prompt = prompt_of(self.engine.dialect, number)

    def _execute_and_show(self, source: str) -> Result:
        """Runs an input and shows its values, in one call of Lua."""
        code = self.analysis.code(source)
        self.analysis.forget()
        other = encoding.to_bytes(code) if code != source else None
        run = self.prompt_module.run
        result = self.engine.call_for_record(run, encoding.to_bytes(source), other, self.lua_shows)
        record = result.record
        if record is None or record["number"] is None:
            # Ctrl-C: Lua had given the input its number.
            number = self.engine.try_call(self.prompt_module.skip_to, 0)
            self.analysis.number = int(number or self.analysis.number)
            return result
        self.analysis.number = int(record["number"])
        self.took = record["took"], record["used"]
        if not result.ok:
            return result
        shown = self._show(result)
        if shown.ok and record["hint"] is not None:
            encoding.write(f"({encoding.from_lua(record['hint'])})\n")
        return shown

    def _show(self, result: Result) -> Result:
        """Shows the values of an input if Lua did not; returns the result, or that of a failed display."""
        return result


def prompt_of(dialect: str, number: int | None = None) -> str:
    """The prompt of a dialect, with the number of the next input."""
    shown = "" if number is None else f" [{number}]"
    return f"{'th' if dialect == 'th' else 't7'}{shown}> "
