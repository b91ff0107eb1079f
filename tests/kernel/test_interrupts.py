"""Interrupts at any moment: the cell ends, the kernel goes on, and variables keep their values.

T7_INTERRUPTS is the number of interrupts, T7_INTERRUPTS_SEED chooses other moments.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from t7shell.kernel.client import Cells

CELLS = (
    "local sum = 0 for i = 1, 1e10 do sum = sum + math.sin(i) end",
    "local t = {} for i = 1, 1e9 do t[i % 100] = torch.ones(3) end",
    "local a = torch.rand(300, 300) for i = 1, 1e6 do torch.mm(a, a) end",
    "string.find(string.rep('a', 40), string.rep('a?', 40) .. string.rep('a', 40))",
    "os.execute('sleep 20') os.execute('sleep 20')",
    "!sleep 20",
)


class Client:
    """A client of a kernel, which collects what a cell prints."""

    def __init__(self, manager: Any, client: Any) -> None:
        self.manager, self.client = manager, client

    def finish(self, request: str) -> tuple[str, dict[str, Any]]:
        """What the request printed, and the content of its reply."""
        printed = ""
        while True:
            message = self.client.get_iopub_msg(timeout=30)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "stream":
                printed += message["content"]["text"]
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                break
        while True:
            reply = self.client.get_shell_msg(timeout=30)
            if reply["parent_header"]["msg_id"] == request:
                return printed, reply["content"]

    def run(self, source: str) -> tuple[str, dict[str, Any]]:
        return self.finish(self.client.execute(source))


@pytest.fixture(scope="module")
def client(kernels: Path) -> Iterator[Client]:
    manager, made = start_new_kernel(kernel_name="t7")
    yield Client(manager, made)
    made.stop_channels()
    manager.shutdown_kernel(now=True)


def test_at_random_moments(client: Client) -> None:
    count = int(os.environ.get("T7_INTERRUPTS", "12"))
    random.seed(int(os.environ.get("T7_INTERRUPTS_SEED", "1")))
    client.run("x = 0")
    for turn in range(1, count + 1):
        assert client.run(f"x = {turn}")[1]["status"] == "ok"
        source = CELLS[turn % len(CELLS)]
        request = client.client.execute(source)
        for _ in range(random.choice((1, 1, 1, 3))):
            time.sleep(random.choice((0, 0.001, 0.02, 0.3)) * random.random())
            client.manager.interrupt_kernel()
        # An interrupt before the kernel has read the request is for no cell.
        again = threading.Timer(3, client.manager.interrupt_kernel)
        again.start()
        try:
            reply = client.finish(request)[1]
        finally:
            again.cancel()
        assert reply.get("ename") == "Interrupted", (turn, source, reply)
        assert client.run("print(x)")[0] == f"{turn}\n", (turn, source)


def test_an_interrupt_between_cells_is_for_none(client: Client) -> None:
    client.run("x = 1")
    for _ in range(3):
        client.manager.interrupt_kernel()
    printed, reply = client.run("for i = 1, 1e6 do x = x + 1 end print(x)")
    assert (printed, reply["status"]) == ("1000001\n", "ok")


def test_a_command_that_ignores_interrupts_is_killed() -> None:
    cells = Cells()
    try:
        threading.Timer(0.5, cells.interrupt).start()
        answer = cells.ask("execute", "!trap '' INT; while :; do sleep 0.1; done")
        assert answer["error"][0] == "Interrupted"
        assert cells.ask("completeness", "x = 1") == {"status": "complete"}
    finally:
        cells.close()
