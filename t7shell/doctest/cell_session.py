"""Sessions for notebooks: cells run as in the kernel, each notebook in its folder.

Commands of the prompt, help and commands of the system are valid inputs, and `itorch` is loaded.
"""

from __future__ import annotations

import threading
from typing import Any

from t7shell.doctest.session import Answer, SessionLost
from t7shell.engine.result import Status
from t7shell.kernel.client import Cells, EngineEnded

# The outputs of a notebook that are compared: neither the standard error nor pictures.
_TEXTS = ("stdout", "result")


class CellSession:
    """A session of the kernel. `timeout` is how many seconds a cell may take."""

    def __init__(self, dialect: str = "t7", timeout: float = 60.0, folder: str | None = None) -> None:
        self._timeout = timeout
        self._expired = False
        try:
            self._cells = Cells(dialect, folder)
        except EngineEnded as reason:
            raise SessionLost(f"the process ended {reason}") from None

    def check(self, source: str) -> Status:
        return Status(self._ask("compiles", source)[1])

    def run(self, source: str, name: str = "", program: str = "") -> Answer:
        """Runs a cell. The kernel numbers its inputs itself."""
        text, answer = self._ask("execute", source)
        if answer["status"] == "ok":
            return Answer(Status.OK, text)
        return Answer(Status.ERROR, text, answer["error"][1])

    def close(self) -> None:
        self._cells.close()

    def _ask(self, kind: str, source: str) -> tuple[str, Any]:
        """The text that a request shows, and its answer. Raises SessionLost."""
        shown: list[str] = []

        def show(what: str, content: Any) -> None:
            if what in _TEXTS:
                shown.append(content if what == "stdout" else content.get("text/plain", "") + "\n")

        def expire() -> None:
            self._expired = True
            self._cells.kill()

        timer = threading.Timer(self._timeout, expire)
        timer.start()
        try:
            answer = self._cells.ask(kind, source, show=show)
        except EngineEnded as reason:
            if self._expired:
                raise SessionLost(f"timed out after {self._timeout:g} s") from None
            raise SessionLost(f"the process ended {reason}") from None
        finally:
            timer.cancel()
        return "".join(shown), answer
