"""The Lua state: making it, running source in it, and its output.

One `Engine` belongs to one thread. Everything that evaluates Lua goes through `Engine.execute`: the prompt,
scripts, documents and the Python API.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from t7shell.engine import bytecode_cache, lua_paths
from t7shell.engine.luajit import binding, keep_state, new_state
from t7shell.engine.result import Result, Status, of_record
from t7shell.host import encoding, functions, hooks

if TYPE_CHECKING:
    from t7shell.engine.interrupt import LuaInterrupter

Mode = Literal["script", "prompt"]

# Functions that Lua may call, besides those of `t7shell.host.functions`.
FUNCTIONS = {".errors": "unexpected", ".symbols": "share_symbols"}

PRELOADED = ("torch", "paths", "sys", "xlua")


def _raise_exit(status: int) -> None:
    raise SystemExit(status)


# Bytes of arguments that always fit into the heap of Lua, see lua/shell/heap_reserve.lua. Python may
# take memory that a call leaves free for larger ones.
_RESERVE = 2**10


class Engine:
    """A LuaJIT state with `torch` and its companions loaded.

    `dialect` is 't7', 'th', 'torch5' or 'modern'. `on_exit` is called with the status by `os.exit` of Lua; by
    default it raises SystemExit. Raises LuaUnavailable if lupa has no LuaJIT.
    """

    def __init__(self, dialect: str = "t7", on_exit: Callable[[int], None] = _raise_exit) -> None:
        self.lua = new_state()
        keep_state(self.lua, self)
        # What it would free depends on LuaJIT's random order of strings, and so would the addresses of code,
        # by which LuaJIT finds out what to compile.
        collect = self.lua.globals().collectgarbage
        collect("stop")
        # The exceptions of lupa for failures of Lua outside of a protected call.
        self.failures: tuple[type[Exception], ...] = (binding().LuaError, MemoryError)
        # Held during calls that read a result which the next call overwrites.
        self.lock = threading.RLock()
        self.dialect = dialect
        self.guard: LuaInterrupter | None = None
        # Whether memory ran out outside of a protected call: closing the state may fail as well.
        self.exhausted = False
        self.directory = lua_paths.lua_directory()
        lua_paths.set_up(self.lua.globals().package, self.directory)
        # Lua's function itself: that of lupa looks up the global, and ends the process if a program changed
        # it.
        require = self._require = self.lua.globals().require
        # Before all other modules: it gives them Lua's globals as they are now.
        loader = require("torch.jit.loader")
        loader.cache = self.lua.table_from({"get": bytecode_cache.get, "put": bytecode_cache.put})
        # The dialect decides the layout of tensors when they load.
        require("torch.base.dialect").set(dialect)
        self._functions: dict[tuple[str, str], Any] = {}
        self._output = require("shell.output")
        self._evaluate = require("shell.evaluate")
        require("torch.language.standard").install(self.lua.globals())
        require("shell.exit")(on_exit)
        self._load_packages(loader.own)
        self._show = require("shell.display")
        lua_hooks = require("shell.hooks")
        self._finish, self._serve_windows = lua_hooks.finish, lua_hooks.serve_windows
        self._active_events = lua_hooks.active_events
        collect("restart")

    def _load_packages(self, own: Any) -> None:
        lua_globals = self.lua.globals()
        lua_globals.package.loaded["t7shell.host"] = self.lua.table_from(
            functions.of_host() | functions.of_table(FUNCTIONS, __package__)
        )
        self.lua.require("shell.modules")
        # Before xlua, which treats the globals that exist as those of the shell.
        for name in ("pl", *PRELOADED):
            lua_globals[name] = own(name)

    def set_dialect(self, name: str) -> None:
        """Changes the dialect of a running state; not to 'torch5', which decides the layout at the start."""
        self.helper("shell.prompt").dialect(name.encode())
        self.dialect = name

    def add_script_directory(self, directory: str) -> None:
        """Lets `require 'util.x'` find modules below a folder, after those of the current folder."""
        package = self.lua.globals().package
        path = lua_paths.with_script_directory(encoding.from_lua(package.path), directory)
        package.path = encoding.to_bytes(path)

    def execute(
        self,
        source: str | bytes,
        name: str = "=stdin",
        mode: Mode = "script",
        args: Sequence[str | bytes] = (),
    ) -> Result:
        """Evaluates source once.

        `name` is a chunk name as Lua has it: '@file', '=name' or the source. In the mode 'prompt' an
        expression or `= expression` is a valid input, and INCOMPLETE is distinguished from SYNTAX_ERROR.
        `args` become `...` of a script.
        """
        arguments = [encoding.to_bytes(source), encoding.to_bytes(name)]
        if mode != "prompt":
            arguments += map(encoding.to_bytes, args)
        size = sum(map(len, arguments))
        if size > _RESERVE and not self._evaluate.reserve(2 * size):
            return Result(Status.ERROR, message=self.recover(MemoryError()))
        evaluate = self._evaluate.input if mode == "prompt" else self._evaluate.script
        result = self.call_for_record(evaluate, *arguments)
        self.end_input()
        return result

    def end_input(self) -> None:
        """Runs the work that packages defer to the end of an input, such as showing plots."""
        for is_waiting, work in hooks.after_input:
            if is_waiting():
                self.flush()
                work()

    def call(self, function: Any, *args: Any) -> Result:
        """Calls a Lua function with Lua values."""
        return self.call_for_record(self.helper_function("shell.evaluate", "call"), function, *args)

    def call_with(self, function: Any, result: Result) -> Result:
        """Calls a Lua function with the values of a result, as they were in Lua."""
        return self.call_for_record(self._evaluate.apply, function, result.record)

    def get(self, table: Any, key: Any) -> Any:
        """A field of a Lua table, by its metatable. Raises LuaError."""
        result = self.call(self._evaluate.get, table, key)
        result.raise_for_status()
        return result.values[0]

    def put(self, table: Any, key: Any, value: Any) -> None:
        """Sets a field of a Lua table, by its metatable. Raises LuaError; lupa would end the process."""
        self.call(self._evaluate.put, table, key, value).raise_for_status()

    def helper(self, name: str) -> Any:
        """A Lua module of `lua/shell`, loaded on first use."""
        return self._require(name)

    def helper_function(self, name: str, function: str) -> Any:
        """A function of a helper, cached: a lookup costs as much as a short call."""
        try:
            return self._functions[name, function]
        except KeyError:
            found = self._functions[name, function] = self.helper(name)[function]
            return found

    def try_call(self, function: Any, *args: Any) -> Any:
        """Calls a function of a helper; returns None if it fails.

        It fails if a program replaced a function that it needs, set a debug hook, or exhausted the memory.
        """
        try:
            return function(*args)
        except self.failures as reason:
            self.recover(reason)
            return None

    def address(self, value: Any) -> str:
        """The address of an object of Lua, which identifies it."""
        return str(self._evaluate.address(value))

    def finish(self) -> Result:
        """Waits for the pending jobs of thread pools, as Torch7 did when it closed the state."""
        return self.call(self._finish)

    def serve_windows(self) -> Result:
        """Calls the functions that a script connected to windows until these are closed."""
        return self.call(self._serve_windows)

    def window_events(self) -> Any:
        """The events of windows and timers with functions, see lua/shell/hooks.lua, else None."""
        return self.try_call(self._active_events)

    def check(self, source: str | bytes, pasted: bool = False, name: str = "=stdin") -> Result:
        """Compiles an input of the prompt without running it: OK, INCOMPLETE or SYNTAX_ERROR.

        Input that is ``pasted`` may be lines of statements that end in an expression. It is not compiled
        again when it runs under the same name.
        """
        return of_record(self._evaluate.check(encoding.to_bytes(source), encoding.to_bytes(name), pasted))

    def display(self, result: Result) -> Result:
        """Prints the values of a result in one line as the prompt does; returns OK or the error."""
        if result.silent or not result.count:
            return Result(Status.OK)
        return self.call_with(self._show, result)

    def call_for_record(self, function: Any, *args: Any) -> Result:
        """Calls a function of the shell that returns a record of `lua/shell/evaluate.lua`."""
        guard = self.guard
        if guard is None:
            return self._called(function, *args)
        guard.start()
        try:
            outcome = self._called(function, *args)
        except BaseException as reason:
            if guard.finish() and not isinstance(reason, SystemExit):
                return Result(Status.INTERRUPTED, message="interrupted")
            raise
        if guard.finish() and (guard.insists or not outcome.ok):
            return Result(Status.INTERRUPTED, message="interrupted", traceback=outcome.traceback)
        return outcome

    def _called(self, function: Any, *args: Any) -> Result:
        try:
            return of_record(function(*args))
        except self.failures as reason:
            return Result(Status.ERROR, message=self.recover(reason))

    def recover(self, reason: Exception) -> str:
        """The message of one of `failures`. Removes the program's debug hook, which may have raised it."""
        if isinstance(reason, MemoryError):
            self.exhausted = True
            # LuaJIT does not collect when an allocation fails, and lupa's next call would not be protected.
            self.lua.gccollect()
            return "not enough memory"
        if self.guard:
            self.guard.unhook()
        return str(reason).partition("\n")[0]

    @contextmanager
    def capture(self) -> Iterator[list[str]]:
        """Captures Lua's output in the block; afterwards the list has the text as its only element."""
        out: list[str] = []
        self._output.capture()
        try:
            yield out
        finally:
            out.append(encoding.from_lua(self._output.release()))

    def run_captured(self, source: str | bytes, name: str = "=stdin") -> tuple[str, Result]:
        """Evaluates an input as the prompt does.

        Returns the printed text, including the values that the prompt shows, and the result.
        """
        with self.capture() as out:
            result = self.execute(source, name, "prompt")
            if result.ok:
                shown = self.display(result)
                result = result if shown.ok else shown
        return out[0], result

    def run_program(self, source: str, name: str, result_name: str) -> tuple[str, Result]:
        """Runs a program; returns the printed text and the result.

        The value that the program returns becomes a global variable, unless one of that name exists.
        """
        with self.capture() as out:
            result = self.execute(source, name)
            lua_globals = self.lua.globals()
            if result.ok and result.count and lua_globals[result_name] is None:
                lua_globals[result_name] = result.values[0]
        return out[0], result

    def redirect(self, write: Callable[[str], None] | None) -> None:
        """Redirects Lua's output to a function of latin-1 text; None restores C's stdout."""
        self._output.redirect(write)

    def function(self, call: Callable[..., Any]) -> Any:
        """A Lua function that calls a Python one."""
        return self._evaluate.function_of(call)

    def flush(self) -> str | None:
        """Flushes the output of Lua, then of Python.

        Returns the reason if Lua's output could not be written.
        """
        try:
            reason = self._output.flush()
        except self.failures as failure:
            # There is no memory, or a debug hook of the program raises errors.
            import ctypes

            self.recover(failure)
            reason = None
            ctypes.CDLL(None).fflush(None)
        sys.stdout.flush()
        return None if reason is None else encoding.from_lua(reason)

    def argument_table(self, before: Sequence[str], after: Sequence[str]) -> Any:
        """A table for the global `arg`: `before` ends in the script (index 0), `after` are its arguments."""
        words = map(encoding.to_bytes, [*before, *after])
        return self.lua.table_from(dict(enumerate(words, 1 - len(before))))

    def set_arguments(self, before: Sequence[str], after: Sequence[str]) -> None:
        """Sets the global `arg`; to be called before a program can set a metatable for globals."""
        self.lua.globals().arg = self.argument_table(before, after)
