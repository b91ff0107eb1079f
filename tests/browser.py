"""A page in Chromium without a screen, by the protocol of its developer tools."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# The descriptors that the browser reads requests from and writes answers to are 3 and 4.
_LAUNCH = 'from=$1 to=$2; shift 2; exec "$@" 3<&$from 4>&$to'


class Page:
    """A tab."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests = os.fdopen(requests, "wb", buffering=0)
        self._answers = os.fdopen(answers, "rb", buffering=0)
        self._unread = b""
        self._count = 0
        self._session: dict[str, str] = {}
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}

    def call(self, method: str, **parameters: Any) -> Any:
        """The answer to a request."""
        self._count += 1
        request = {"id": self._count, "method": method, "params": parameters, **self._session}
        self._requests.write(json.dumps(request).encode() + b"\0")
        while True:
            while b"\0" not in self._unread:
                received = self._answers.read(65536)
                assert received, "the browser has ended"
                self._unread += received
            message, _, self._unread = self._unread.partition(b"\0")
            answer = json.loads(message)
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, address: str) -> None:
        """Opens an address."""
        self.call("Page.navigate", url=address)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def box(self, selector: str) -> dict[str, float]:
        """x, y, width and height of an element."""
        box = f"JSON.stringify(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        return dict(json.loads(self.evaluate(box)))

    def mouse(self, kind: str, x: float, y: float, **parameters: Any) -> None:
        """Sends an event of the mouse: 'mousePressed', 'mouseReleased', 'mouseMoved' or 'mouseWheel'."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    def drag(self, x: float, y: float, right: float, down: float) -> None:
        """Moves the mouse with its left button held."""
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        for part in (0.5, 1):
            self.mouse("mouseMoved", x + part * right, y + part * down, button="left", buttons=1)
        self.mouse("mouseReleased", x + right, y + down, button="left", clickCount=1)

    def close(self) -> None:
        """Leaves the browser."""
        with contextlib.suppress(AssertionError, OSError):
            self.call("Browser.close")
        self._requests.close()
        self._answers.close()


@contextlib.contextmanager
def open_page(folder: Path) -> Iterator[Page]:
    """A page of a browser whose files are in a folder."""
    assert CHROMIUM
    browser_reads, requests = os.pipe()
    answers, browser_writes = os.pipe()
    options = ["--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--window-size=900,700"]
    command = [CHROMIUM, *options, f"--user-data-dir={folder / 'browser'}"]
    browser = subprocess.Popen(
        ["bash", "-c", _LAUNCH, "browser", str(browser_reads), str(browser_writes), *command],
        pass_fds=[browser_reads, browser_writes],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(browser_reads)
    os.close(browser_writes)
    page = None
    try:
        page = Page(requests, answers)
        yield page
    finally:
        if page:
            page.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            browser.wait(10)
        browser.kill()
        browser.wait()
