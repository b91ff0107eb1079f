"""The server of `t7 display`: a page whose panes programs fill, on this machine alone.

Programs post messages `{"command": kind, "id": pane, "title": ..., "type": MIME, "data": base64}` to /events,
kind 'image', 'audio', 'text' or 'close'. Pages read them from there as they arrive, as server-sent events; a
page that is opened later gets the last message of each pane first.
"""

from __future__ import annotations

import json
import queue
import re
import sys
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from t7shell.host import encoding

KINDS = ("image", "audio", "text", "close")
TYPES = ("image/png", "audio/wav", "text/plain")
MAX_BYTES = 64 << 20  # of a message
MAX_HELD = 128 << 20  # bytes of all panes, and of the messages for a page that does not read them
_MAX_WAITING = 100  # messages for such a page
_OVERHEAD = 200  # bytes of a pane besides its message
_SILENCE = 60.0  # seconds after which a connection that neither sends nor reads is closed
_LENGTH = re.compile(r"[0-9]{1,15}")
_PULSE = 10.0  # seconds between signs of life to a page
_PAGE = Path(__file__).with_name("page.html")
# The page runs no code but its own, and reaches nothing but this server.
_POLICY = (
    "default-src 'none'; connect-src 'self'; img-src data:; media-src data:; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'"
)


class Page(queue.Queue[bytes]):
    """The messages for a page that it has not read, with the number of their bytes."""

    held = 0

    def _put(self, item: bytes) -> None:
        super()._put(item)
        self.held += len(item)

    def _get(self) -> bytes:
        item = super()._get()
        self.held -= len(item)
        return item

    def has_capacity(self, line: bytes) -> bool:
        return self.qsize() < _MAX_WAITING and self.held + len(line) <= MAX_HELD


class Panes:
    """The last message of each pane, and the pages that listen.

    Without room for a new pane the oldest ones are forgotten: pages that are open keep them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, bytes] = {}
        self._held = 0
        self._pages: list[Page] = []

    def put(self, message: dict[str, Any]) -> None:
        """Sends a message of a program to all pages. Raises ValueError if it is not valid."""
        line = _checked(message)
        with self._lock:
            self._forget(message["id"])
            if message["command"] != "close":
                self._last[message["id"]] = line
                self._held += len(line) + _OVERHEAD
            while self._held > MAX_HELD:
                self._forget(next(iter(self._last)))
            for page in self._pages:
                if page.has_capacity(line):
                    page.put(line)

    def _forget(self, pane: str) -> None:
        line = self._last.pop(pane, None)
        if line is not None:
            self._held -= len(line) + _OVERHEAD

    def listen(self) -> Page:
        """The messages for a new page, which begin with those of the existing panes."""
        page = Page()
        with self._lock:
            for line in self._last.values():
                page.put(line)
            self._pages.append(page)
        return page

    def leave(self, page: Page) -> None:
        with self._lock:
            self._pages.remove(page)


def _checked(message: Any) -> bytes:
    if not isinstance(message, dict) or message.get("command") not in KINDS:
        raise ValueError(f"command: expected {', '.join(KINDS)}")
    if not isinstance(message.get("id"), str):
        raise ValueError("id: expected text")
    if message["command"] != "close":
        if message.get("type") not in TYPES:
            raise ValueError(f"type: expected {', '.join(TYPES)}")
        if not isinstance(message.get("data"), str) or not isinstance(message.get("title", ""), str):
            raise ValueError("data and title: expected text")
    return json.dumps(message).encode()


class Server(ThreadingHTTPServer):
    """The server; port 0 takes any that is free."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.panes = Panes()
        self.hosts = {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says in one line what went wrong with a connection, unless the other side only ended it."""
        reason = sys.exc_info()[1]
        if not isinstance(reason, OSError):
            encoding.write(f"t7 display: {type(reason).__name__}: {reason}\n")


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = _SILENCE

    def do_GET(self) -> None:
        if not self._is_ours():
            return
        if self.path == "/":
            self._answer(HTTPStatus.OK, _PAGE.read_bytes(), "text/html; charset=utf-8")
        elif self.path == "/events":
            self._stream()
        else:
            self._answer(HTTPStatus.NOT_FOUND, b"not found\n")

    def do_POST(self) -> None:
        if not self._is_ours():
            return
        length = self.headers.get("Content-Length", "")
        size = int(length) if _LENGTH.fullmatch(length) else -1
        # Browsers ask before a page of another site may send this type.
        wrong = self.headers.get_content_type() != "application/json" or self.path != "/events"
        if wrong or not 0 <= size <= MAX_BYTES:
            self.close_connection = True
            self._answer(HTTPStatus.BAD_REQUEST, b"expected JSON for /events\n")
            return
        try:
            self.server.panes.put(json.loads(self.rfile.read(size)))
        except (ValueError, RecursionError) as reason:
            self._answer(HTTPStatus.BAD_REQUEST, f"{reason}\n".encode())
        else:
            self._answer(HTTPStatus.OK, b"ok\n")

    def _is_ours(self) -> bool:
        """Tells whether a request names this server, as one by DNS rebinding does not."""
        origin = self.headers.get("Origin")
        ours = self.headers.get("Host") in self.server.hosts
        ours = ours and (origin is None or origin.removeprefix("http://") in self.server.hosts)
        if not ours:
            self.close_connection = True
            self._answer(HTTPStatus.FORBIDDEN, b"this server is for its own page\n")
        return ours

    def _answer(self, status: HTTPStatus, content: bytes, kind: str = "text/plain") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.end_headers()
        self.wfile.write(content)

    def _stream(self) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.close_connection = True
        page = self.server.panes.listen()
        try:
            while True:
                try:
                    self.wfile.write(b"data: " + page.get(timeout=_PULSE) + b"\n\n")
                except queue.Empty:
                    self.wfile.write(b": alive\n\n")
                self.wfile.flush()
        except OSError:
            pass
        finally:
            self.server.panes.leave(page)

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""
