"""The loop of the prompt."""

from __future__ import annotations

from typing import Any

from t7shell import __version__
from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import begin_input
from t7shell.engine.result import Status
from t7shell.host import encoding, screen
from t7shell.host.failures import of_system
from t7shell.prompt import commands, describe, help, pages, syntax, system
from t7shell.prompt.inputs import InputSource
from t7shell.prompt.interpreter import Interpreter
from t7shell.prompt.recovery import NO_MEMORY

LEAVE = ("exit", "quit", "exit()", "quit()")


class Session(Interpreter):
    """Reads inputs from a source and evaluates each."""

    def __init__(self, engine: Engine, source: InputSource) -> None:
        super().__init__(engine, source)
        # Loaded now, because programs may redefine functions that loading needs.
        for name in ("complete", "help", "usage", "timing"):
            engine.helper("shell." + name)
        self.prompt_module.begin(self._show_record, engine.end_input)

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
                self._set_prompt()
                begin_input()
                self.evaluate(self.source.read(self.analysis.is_finished))
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            except self.engine.failures as reason:
                message = self.engine.recover(reason)
                encoding.write(message + "\n")
                if isinstance(reason, MemoryError) or NO_MEMORY in message:
                    self._free_memory()

    def evaluate(self, source: str) -> None:
        """Evaluates an input: Lua, a command, a request for help, or the inputs of a transcript."""
        try:
            self._evaluate(source)
        finally:
            self.analysis.forget()

    def _evaluate(self, source: str) -> None:
        start = source.strip()
        statements = self.analysis.statements(source)
        if statements:
            self._one_by_one(statements)
        elif start.startswith(syntax.SYSTEM) or (start.startswith("%") and not syntax.QUESTION.match(source)):
            self._command(start)
        elif start in LEAVE and not self.engine.try_call(self.prompt_module.has, start.strip("()").encode()):
            raise EOFError
        elif start in ("help", "help()") and self.engine.try_call(self.prompt_module.has_help):
            self._help("?")
        elif start.startswith("?"):
            self._help(start)
        elif syntax.QUESTION.match(source):
            self._help("?" * start.count("?") + start.rstrip("?"))
        elif start:
            self.run_lua(source)

    def _command(self, line: str) -> None:
        try:
            if line.startswith(syntax.SYSTEM):
                system.run(self, line[1:].strip())
            else:
                commands.run(self, line)
        except syntax.CommandError as mistake:
            encoding.write(f"{mistake}\n")
        except OSError as reason:
            encoding.write(f"{line.split()[0]}: {of_system(reason)}\n")

    def _help(self, request: str) -> None:
        name = request.lstrip("?").strip()
        columns = screen.width()
        if not name:
            pages.show(help.general_text(columns))
        elif request.startswith("??"):
            found = self.engine.try_call(self.engine.helper("shell.help").source, encoding.to_bytes(name))
            pages.show(encoding.from_lua(found[0] if found else ""))
        else:
            pages.show(help.text_for(name, self.engine, columns))

    def _show_record(self, record: Any) -> None:
        """Shows the record of Lua's `help(value)`."""
        self.engine.flush()
        columns = screen.width()
        if record is None:
            shown = help.general_text(columns)
        elif record["request"] is not None:
            shown = help.text_for(encoding.from_lua(record["request"]), self.engine, columns)
        else:
            shown = describe.of_record(record).text(columns)
        pages.show(shown)

    def _one_by_one(self, inputs: list[str]) -> None:
        for one in inputs:
            # A block of Markdown may be a transcript, whose inputs are printed one by one.
            is_divided = bool(self.analysis.statements(one))
            if not is_divided:
                self._set_prompt()
                print(self.source.prompt + one, flush=True)
            if is_divided or syntax.is_for_prompt(one):
                self.evaluate(one)
                continue
            result = self.run_lua(one)
            if result is None or result.status is Status.INTERRUPTED:
                return
