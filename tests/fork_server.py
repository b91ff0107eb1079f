"""Runs `t7` in forks of a process that has imported it, which spares each command its imports."""

from __future__ import annotations

import gc
import json
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = [sys.executable, "-m", "t7shell"]

# Variables that Python reads when it starts.
_OF_PYTHON = ("PYTHON", "LC_", "LANG")

# Processor seconds of the processes so far.
seconds = 0.0


def run_t7(
    *args: str,
    stdin: str = "",
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Runs the command `t7` with its output in pipes."""
    environment = {**os.environ, **(env or {})}
    forks = sys.platform == "linux" and not any(name.startswith(_OF_PYTHON) for name in env or {})
    if forks and _free.acquire(blocking=False):
        try:
            return _server().run(args, stdin, str(cwd or Path.cwd()), environment, timeout)
        finally:
            _free.release()
    return subprocess.run(
        [*COMMAND, *args],
        input=stdin,
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


# A server runs one command at a time.
_free = threading.Lock()


class _Server:
    """The process that forks, and the socket to it."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fork_server", str(other.fileno())],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                pass_fds=[other.fileno()],
            )

    def run(
        self, args: tuple[str, ...], stdin: str, cwd: str, env: dict[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command; raises subprocess.TimeoutExpired."""
        global seconds
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        request = json.dumps([args, cwd, env]).encode()
        socket.send_fds(self._socket, [request], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        self._socket.settimeout(None)
        process = int(self._socket.recv(100))
        with ThreadPoolExecutor(3) as pool:
            pool.submit(_write, pipes[0][1], stdin)
            shown = [pool.submit(_read, pipe[0]) for pipe in pipes[1:]]
            self._socket.settimeout(timeout)
            try:
                status, taken = json.loads(self._socket.recv(100))
            except TimeoutError:
                os.kill(process, 9)
                self._socket.settimeout(None)
                self._socket.recv(100)
                raise subprocess.TimeoutExpired([*COMMAND, *args], timeout) from None
            seconds += taken
            output, errors = (text.result() for text in shown)
        return subprocess.CompletedProcess([*COMMAND, *args], status, output, errors)


_server = cache(_Server)


def _write(descriptor: int, text: str) -> None:
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except BrokenPipeError:
        pass  # The command ended before it had read all.


def _read(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8") as file:
        return file.read()


def _serve(connection: socket.socket) -> list[str]:
    """Forks for each request, in which it returns the arguments of the command."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, 2**20, 3)
        if not request:
            os._exit(0)
        process = os.fork()
        if process == 0:
            arguments, folder, environment = json.loads(request)
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
            os.closerange(3, max(*descriptors, connection.fileno()) + 1)
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            sys.path[0] = folder
            return list(arguments)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(str(process).encode())
        _, status, usage = os.wait4(process, 0)
        answer = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        connection.send(json.dumps(answer).encode())


def _compile() -> None:
    """Compiles what every state of Lua loads in another process: the server keeps no state."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        engine.Engine()
        _write(writer, json.dumps(engine.bytecode))
        os._exit(0)
    os.close(writer)
    engine.bytecode.update(json.loads(_read(reader)))
    os.wait()


if __name__ == "__main__":
    import t7shell.__main__
    import t7shell.cli.main
    import t7shell.packages.display.show
    import t7shell.prompt.start
    from t7shell.engine import engine

    _compile()
    # Python's collector would write to the memory that forks share.
    gc.freeze()
    sys.argv = ["t7", *_serve(socket.socket(fileno=int(sys.argv[1])))]
    sys.exit(t7shell.__main__.t7())
