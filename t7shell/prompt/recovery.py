"""Runs work of the prompt so that the session outlives Ctrl-C, errors and exhausted memory."""

from __future__ import annotations

import sys
from collections.abc import Callable

from t7shell.engine import process
from t7shell.engine.compiled_loops import CompiledLoops
from t7shell.engine.engine import Engine
from t7shell.engine.interrupt import LuaInterrupter
from t7shell.engine.report import report
from t7shell.engine.result import Result, Status
from t7shell.host import encoding
from t7shell.host.screen import Colors
from t7shell.prompt.checkpoint import Checkpoint
from t7shell.prompt.progress import Progress
from t7shell.prompt.reserve import Reserve

NO_MEMORY = "not enough memory"
FULL = "memory is almost exhausted: set large variables to nil, or t7 will end"
STUCK = "\nstill running in compiled code; Ctrl-C again "
BACK = "\nreturned to the state before that line"


class Recovery:
    """Work with Lua under a checkpoint, which is taken before it where the system has one.

    `interrupter` stops Lua at Ctrl-C, `reserve` is memory for the case that there is none left.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.prompt_module = engine.helper("shell.prompt")
        self.checkpoint: Checkpoint | None = None
        self.can_go_back = False
        self.progress: Progress | None = None
        self.reserve = Reserve()
        self.colors = Colors()
        self.interrupter: LuaInterrupter | None = None
        # The variables that would be lost if the process ended, and whether the user was told of them.
        self._lossy = ""
        self._warned = False

    def set_checkpoint(self, wanted: bool) -> bool:
        """Switches checkpoints on or off; false if there can be none."""
        if wanted and not self.can_go_back:
            return False
        self.checkpoint = Checkpoint() if wanted else None
        return True

    def _guarded(self, work: Callable[[], Result]) -> Result | None:
        """Calls `work`, which runs Lua, under the checkpoint; reports an error. None after a return to it."""
        self._warned = False
        self.reserve.fill()
        if self.checkpoint and self.checkpoint.take():
            self._come_back()
            return None
        if self.can_go_back and not (self.checkpoint and self.checkpoint.taken):
            self._break_loops()
        try:
            result, full = self._worked(work)
        finally:
            if self.checkpoint:
                self.checkpoint.release()
        names = result.record["names"] if result.record is not None else None
        if names is None:
            self.engine.flush()
            names = self.engine.try_call(self.prompt_module.settle) or ""
        sys.stdout.flush()
        self._lossy = encoding.from_lua(names)
        if not result.ok:
            self._fail(result)
        if full:
            encoding.write(FULL + "\n")
        return result

    def _break_loops(self) -> None:
        """Lets Ctrl-C stop compiled loops, if there is no checkpoint, where that is possible."""
        if self.interrupter and not self.interrupter.loops:
            loops = CompiledLoops(self.engine)
            if loops.available:
                self.interrupter.loops = loops
                # It does not know loops that are already compiled.
                loops.flush()

    def _worked(self, work: Callable[[], Result]) -> tuple[Result, bool]:
        """Calls `work`; returns its result, and whether it exhausted memory and could not be undone."""
        if self.progress:
            self.progress.start()
        try:
            result = work()
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
        """Handles another Ctrl-C while Lua runs on: returns to before the line, or ends the process."""
        if self.checkpoint and self.checkpoint.taken:
            self.checkpoint.go_back()
        if self._warned or not self._lossy:
            process.interrupted("\nthis loop is compiled and cannot be stopped without ending t7")
        self._warned = True
        encoding.write(
            f"\nthis line cannot be stopped; Ctrl-C again ends t7, and these are lost: {self._lossy}\n"
        )

    def explain(self) -> None:
        """Explains that Lua has not stopped after Ctrl-C."""
        if self.checkpoint and self.checkpoint.taken:
            encoding.write(STUCK + "returns to the state before this line\n")
        elif self._warned:
            return
        elif self._lossy:
            encoding.write(STUCK + "lists what would be lost by ending t7\n")
        else:
            encoding.write(STUCK + "ends t7\n")

    def _free_memory(self) -> bool:
        """Frees memory; false if little is left. Ends the process when the reserve is exhausted."""
        if not self.reserve.give():
            process.interrupted("t7: out of memory", 1)
        self.engine.try_call(self.prompt_module.free_memory)
        return self.reserve.fill()

    def _fail(self, result: Result) -> None:
        """Says why an input failed."""
        encoding.write(report(result, self.engine, self.colors) + "\n")
