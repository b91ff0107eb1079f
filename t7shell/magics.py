"""`%load_ext t7shell`: `%lua` and `%%lua` in notebooks of Python, and pictures of a Runtime there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from t7shell.bridge.runtime import Runtime
from t7shell.bridge.values import unpacked
from t7shell.engine.errors import LuaError
from t7shell.engine.result import Result
from t7shell.host import encoding

_OPTION = re.compile(r"\s*-([ior])(?:\s+|$)((?:\w+\s*,\s*)*\w*)")
USAGE = (
    "%lua [OPTIONS] CODE, %%lua [OPTIONS]: Lua in a notebook. -i a,b: variables of Python for Lua; "
    "-o c,d: variables of Lua for Python; -r NAME: in the Runtime of this variable"
)


class Lua:
    """The magics of one IPython shell, whose cells share a Runtime."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._runtime: Runtime | None = None

    def line(self, line: str) -> Any:
        """`%lua CODE` runs Lua; its value is that of the line in Python: `x = %lua torch.ones(2)`."""
        return self._run(line, "")

    def cell(self, line: str, cell: str) -> None:
        """`%%lua` runs a cell of Lua, and shows its last value as Lua does."""
        self._run(line, cell)

    def _run(self, line: str, cell: str) -> Any:
        options, code = _options(line)
        if cell and code.startswith("-") and not code.startswith("--"):
            raise _usage_error(f"{code.split()[0]}: unknown option; {USAGE}")
        runtime = self._chosen(options.get("r", ""))
        for name in _names(options.get("i", "")):
            if name not in self._shell.user_ns:
                raise _usage_error(f"-i {name}: there is no variable with this name in Python")
            runtime.globals[name] = self._shell.user_ns[name]
        result = _execute(runtime, (f"{code}\n{cell}" if code else cell).rstrip("\n"))
        for name in _names(options.get("o", "")):
            if name not in runtime.globals:
                raise _usage_error(f"-o {name}: there is no variable with this name in Lua")
            self._shell.user_ns[name] = runtime.globals[name]
        if cell:
            _show(runtime, result)
            return None
        return unpacked(result, runtime.engine)

    def _chosen(self, name: str) -> Runtime:
        if name:
            found = self._shell.user_ns.get(name)
            if not isinstance(found, Runtime):
                raise _usage_error(f"-r {name}: expected a Runtime (got {type(found).__name__})")
            return found
        if self._runtime is None:
            self._runtime = Runtime()
        return self._runtime


def load(shell: Any) -> None:
    """Adds the magics to an IPython shell."""
    magics = Lua(shell)
    magics.line.__func__.__doc__ = magics.cell.__func__.__doc__ = USAGE  # type: ignore[attr-defined]
    shell.register_magic_function(magics.line, "line", "lua")
    shell.register_magic_function(magics.cell, "cell", "lua")
    show_pictures_in_cells()


def show_pictures_in_cells() -> None:
    """Lets pictures and plots appear below the cell of a notebook of Python; elsewhere nothing changes."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython and hasattr(ipython, "get_ipython") else None
    if shell is None or not hasattr(shell, "kernel"):
        return
    from t7shell.packages.display import show

    if show.inline is None:
        show.inline = _display
        # Functions of Lua that a cell calls may plot as well.
        shell.events.register("post_run_cell", lambda _: show.flush())


def _display(data: dict[str, str]) -> None:
    from IPython.display import display

    display(data, raw=True)  # type: ignore[no-untyped-call]


def _options(line: str) -> tuple[dict[str, str], str]:
    """The options at the beginning of a line, and the code after them."""
    options: dict[str, str] = {}
    found = _OPTION.match(line)
    while found:
        if not found[2]:
            raise _usage_error(f"-{found[1]}: a name is missing; {USAGE}")
        options[found[1]] = found[2]
        line = line[found.end() :]
        found = _OPTION.match(line)
    return options, line.strip()


def _names(text: str) -> Iterator[str]:
    return filter(None, re.split(r"[\s,]+", text))


def _execute(runtime: Runtime, source: str) -> Result:
    """Runs an input as the prompt does. The error that it raises is shown without the frames of Python."""
    engine = runtime.engine
    with engine.lock:
        result = engine.execute(source, "=lua", "prompt")
        try:
            if not result.ok:
                unpacked(result, engine)
        except LuaError as error:
            lines = "\n".join([f"LuaError: {error.message}", *error.__notes__]).split("\n")
            # IPython asks for it.
            error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]
            raise
    return result


def _show(runtime: Runtime, result: Result) -> None:
    engine = runtime.engine
    if not result.count or result.silent:
        return
    with engine.lock, engine.capture() as out:
        shown = engine.display(result)
    if not shown.ok:
        unpacked(shown, engine)
    html = engine.call_with(engine.helper("shell.html"), result)
    data = {"text/plain": out[0].rstrip("\n")}
    if html.ok and html.count and html.values[0]:
        data["text/html"] = encoding.from_lua(html.values[0])
    engine.flush()
    _display({kind: encoding.valid(text) for kind, text in data.items()})


def _usage_error(message: str) -> Exception:
    from IPython.core.error import UsageError

    return UsageError(message)
