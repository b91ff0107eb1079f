"""Jupyter's protocol, by ipykernel: requests go to the process that runs cells, and its answers back."""

from __future__ import annotations

import fnmatch
from typing import Any
from uuid import uuid4

from ipykernel.kernelapp import IPKernelApp
from ipykernel.kernelbase import Kernel
from IPython.core.error import StdinNotImplementedError

from t7shell import __version__
from t7shell.kernel.client import Cells, EngineEnded, NoQuestions


class T7Kernel(Kernel):
    """A kernel whose cells are inputs of the prompt."""

    implementation = "t7"
    implementation_version = __version__
    banner = f"t7shell {__version__}: Torch7 programs on LuaJIT and NumPy."
    language = "lua"
    language_version = "5.1"
    language_info = {  # noqa: RUF012
        "name": "lua",
        "version": "5.1",
        "mimetype": "text/x-lua",
        "file_extension": ".lua",
        "codemirror_mode": "lua",
        "pygments_lexer": "lua",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)  # type: ignore[no-untyped-call]
        self._cells = Cells()
        self._inputs: list[tuple[int, int, str]] = []
        # The display_id of the progress that is shown.
        self._progress = ""

    @property
    def kernel_info(self) -> dict[str, Any]:
        """What the kernel says of itself: it has no debugger, and its one session runs a cell at a time."""
        return {**super().kernel_info, "supported_features": []}

    def _ask(self, what: str, *arguments: Any) -> dict[str, Any]:
        try:
            return self._cells.ask(what, *arguments, show=self._note)
        except EngineEnded:
            self._cells.close()
            self._cells = Cells()
            return {}

    def _note(self, kind: str, content: Any) -> None:
        """Logs what a request that shows nothing says on standard error."""
        if kind == "stderr":
            self.log.error("%s", content)

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: dict[str, str] | None = None,
        allow_stdin: bool = False,
        **_: Any,
    ) -> dict[str, Any]:
        store_history = store_history and not silent
        if store_history and code.strip():
            self._inputs.append((0, self.execution_count, code))

        self._allow_stdin = allow_stdin

        def show(kind: str, content: Any) -> None:
            if silent:
                return
            if kind in ("stdout", "stderr"):
                self._send("stream", {"name": kind, "text": content})
            elif kind == "progress":
                self._show_progress(content)
            elif kind == "result":
                result = {"execution_count": self.execution_count, "data": content, "metadata": {}}
                self._send("execute_result", result)
            else:
                self._send("display_data", {"data": content, "metadata": {}})

        try:
            number = self.execution_count if store_history else 0
            expressions = user_expressions or {}
            answer = self._cells.ask("execute", code, number, expressions, show=show, question=self._question)
        except EngineEnded as reason:
            self._cells.close()
            self._cells = Cells()
            message = f"the session ended {reason}; a new one has begun, without its variables"
            answer = {"status": "error", "error": ["SessionEnded", message, [message]]}
        if answer.get("status") == "error":
            error = _error(answer["error"])
            if not silent:
                self._send("error", {name: error[name] for name in ("ename", "evalue", "traceback")})
            return {"execution_count": self.execution_count, **error}
        payload = []
        if "next" in answer:
            payload.append({"source": "set_next_input", "text": answer["next"], "replace": True})
        return {
            "status": "ok",
            "execution_count": self.execution_count,
            "payload": payload,
            "user_expressions": {name: _value(found) for name, found in answer.get("values", {}).items()},
        }

    def pre_handler_hook(self) -> None:
        """Leaves SIGINT ignored, as it is between requests: `Cells.ask` takes it while a cell runs."""

    def post_handler_hook(self) -> None:
        """Leaves SIGINT ignored."""

    def _input_request(self, prompt: str, ident: Any, parent: Any, password: bool = False) -> str:
        """Asks the frontend for a line. Raises KeyboardInterrupt at one point of the wait alone."""
        socket: Any = self.stdin_socket
        session: Any = self.session
        # Late answers to earlier questions.
        while socket.poll(0):
            socket.recv_multipart()
        session.send(socket, "input_request", {"prompt": prompt, "password": password}, parent, ident=ident)
        while True:
            if self._cells.interrupted:
                raise KeyboardInterrupt
            if socket.poll(20):
                _, reply = session.recv(socket)
                if reply is not None:
                    break
        value = str(reply["content"].get("value", ""))
        if value == "\x04":
            raise EOFError
        return value

    def _question(self) -> str:
        try:
            return str(self.raw_input(""))  # type: ignore[no-untyped-call]
        except StdinNotImplementedError:
            raise NoQuestions("no input: this frontend does not ask for any") from None

    def _show_progress(self, text: str) -> None:
        """Shows progress in a separate output, which is updated during the work and empty at its end."""
        known = self._progress
        if not known:
            self._progress = uuid4().hex
        content = {"data": {"text/plain": text}, "metadata": {}, "transient": {"display_id": self._progress}}
        self._send("update_display_data" if known else "display_data", content)
        if not text:
            self._progress = ""

    def _send(self, kind: str, content: dict[str, Any]) -> None:
        self.send_response(self.iopub_socket, kind, content)  # type: ignore[no-untyped-call]

    async def do_complete(self, code: str, cursor_pos: int) -> dict[str, Any]:
        found = self._ask("complete", code, cursor_pos)
        matches = found.get("matches", [])
        start, end = found.get("start", cursor_pos), found.get("end", cursor_pos)
        kinds = [
            {"start": start, "end": end, "text": text, "type": kind}
            for text, kind in zip(matches, found.get("kinds", []), strict=False)
        ]
        return {
            "matches": matches,
            "cursor_start": start,
            "cursor_end": end,
            "metadata": {"_jupyter_types_experimental": kinds},
            "status": "ok",
        }

    async def do_inspect(
        self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()
    ) -> dict[str, Any]:
        text = self._ask("inspect", code, cursor_pos, detail_level).get("text", "")
        data = {"text/plain": text} if text else {}
        return {"status": "ok", "found": bool(text), "data": data, "metadata": {}}

    async def do_is_complete(self, code: str) -> dict[str, Any]:
        status = self._ask("completeness", code).get("status")
        if status not in ("complete", "incomplete", "invalid"):
            return {"status": "unknown"}
        return {"status": status, "indent": "   "} if status == "incomplete" else {"status": status}

    async def do_history(
        self,
        hist_access_type: str,
        output: bool,
        raw: bool,
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> dict[str, Any]:
        found = self._inputs
        if hist_access_type == "search":
            found = [item for item in found if fnmatch.fnmatchcase(item[2], pattern or "*")]
        if unique:
            # The last one of each.
            last = {item[2]: item for item in found}
            found = [item for item in found if last[item[2]] is item]
        if session:
            # Earlier sessions are not kept.
            found = []
        if hist_access_type == "range":
            found = [item for item in found if (start or 0) <= item[1] < (stop or 1 << 60)]
        elif n is not None:
            found = found[-n:] if n > 0 else []
        history = [(0, line, (source, None)) if output else (0, line, source) for _, line, source in found]
        return {"status": "ok", "history": history}

    async def do_shutdown(self, restart: bool) -> dict[str, Any]:
        self._cells.close()
        return {"status": "ok", "restart": restart}


def _error(error: list[Any]) -> dict[str, Any]:
    name, message, lines = error
    return {"status": "error", "ename": name, "evalue": message, "traceback": lines}


def _value(found: dict[str, Any]) -> dict[str, Any]:
    """The value of an expression of the user, or the error instead of it."""
    if "error" in found:
        return _error(found["error"])
    return {"status": "ok", "data": found["data"], "metadata": {}}


def run(arguments: list[str]) -> None:
    """Serves the connection that Jupyter names in the arguments."""
    IPKernelApp.launch_instance(argv=arguments, kernel_class=T7Kernel)
