"""The loop of the prompt."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from t7shell import __version__, process, text
from t7shell.engine import Engine
from t7shell.interrupt import LuaInterrupter
from t7shell.repl.inputs import InputSource, PlainInput
from t7shell.result import Result, Status

if TYPE_CHECKING:
    from t7shell.interrupt import Watcher

CHUNK_NAME = "=stdin"
CANNOT_STOP = "\nthis loop is compiled and cannot be stopped without ending t7"


class Session:
    """Reads inputs from a source and evaluates each once in an engine.

    An error is reported and leaves everything as it was before the input.
    """

    def __init__(self, engine: Engine, source: InputSource) -> None:
        self.engine = engine
        self.source = source

    def banner(self) -> str:
        return f"t7shell {__version__}: Torch7 programs on LuaJIT and NumPy. Ctrl-D leaves."

    def run(self) -> None:
        """Runs until the end of the input."""
        print(self.banner(), flush=True)
        while True:
            try:
                self.evaluate(self.source.read(self.is_finished))
            except KeyboardInterrupt:
                continue
            except EOFError:
                return

    def is_finished(self, source: str) -> bool:
        """False for an input that more lines could make right."""
        return self.engine.check(source).status is not Status.INCOMPLETE

    def evaluate(self, source: str) -> Result:
        """Evaluates an input and shows its values, or what went wrong."""
        result = self.engine.execute(source, CHUNK_NAME, "prompt")
        if result.ok:
            shown = self.engine.display(result)
            result = result if shown.ok else shown
        self.engine.flush()
        if not result.ok:
            text.write(self.report(result) + "\n")
        return result

    def report(self, result: Result) -> str:
        """The message of an error, with the stack unless that is the input alone."""
        return result.report() if result.traceback.count("\n") else result.message


def start(engine: Engine, watcher: Watcher) -> None:
    """Runs the prompt on the terminal, or line by line where there is none that can edit."""
    process.prepare_prompt()
    engine.guard = LuaInterrupter(engine.lua, watcher, lambda: process.interrupted(CANNOT_STOP))
    prompt = "th> " if engine.dialect == "th" else "t7> "
    source: InputSource
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        from t7shell.repl.terminal import TerminalInput

        source = TerminalInput(prompt)
    else:
        source = PlainInput(prompt)
    Session(engine, source).run()
