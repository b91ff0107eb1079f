"""Runs `t7` in forks of a process that has imported it, which spares each command its imports.

`python -m tests.fork_server SOCKET` is the fork server. A request has the arguments of a command, its folder
and environment, and four descriptors: the standard streams and a pipe, which gets the process id of the
command and, when that has ended, its exit status and processor seconds.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import json
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import NoReturn

COMMAND = [sys.executable, "-m", "t7shell"]

# Variables that Python reads when it starts.
_OF_PYTHON = ("PYTHON", "LC_", "LANG")

# Processor seconds of the commands so far.
seconds = 0.0


class Fork:
    """A command that runs with the given standard streams; one with a terminal has a session of its own."""

    def __init__(
        self, args: Sequence[str], folder: str, env: Mapping[str, str], streams: Sequence[int]
    ) -> None:
        reader, writer = os.pipe()
        self._answers = os.fdopen(reader, encoding="ascii")
        request = json.dumps([list(args), folder, dict(env)]).encode()
        socket.send_fds(_server(), [request], [*streams, writer])
        os.close(writer)
        self.pid = int(self._answers.readline())
        self._status: int | None = None

    def wait(self, timeout: float) -> int | None:
        """The exit status once the command has ended; None after so many seconds."""
        global seconds
        if self._status is None and select.select([self._answers], [], [], timeout)[0]:
            self._status, taken = json.loads(self._answers.readline())
            self._answers.close()
            seconds += taken
        return self._status

    def kill(self) -> None:
        """Ends the command, if it runs."""
        if self.wait(0) is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait(60)


def is_possible(env: Mapping[str, str]) -> bool:
    """Whether a command with these variables beside those of this process may be a fork."""
    return sys.platform == "linux" and not any(name.startswith(_OF_PYTHON) for name in env)


def run_t7(
    *args: str,
    stdin: str = "",
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Runs the command `t7` with its output in pipes."""
    command, environment = [*COMMAND, *args], {**os.environ, **(env or {})}
    if not is_possible(env or {}):
        return subprocess.run(
            command,
            input=stdin,
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    (stdin_end, feed), *shown = pipes = [os.pipe() for _ in range(3)]
    theirs = [stdin_end, *(writer for _, writer in shown)]
    fork = Fork(args, str(cwd or Path.cwd()), environment, theirs)
    for descriptor in theirs:
        os.close(descriptor)
    with ThreadPoolExecutor(len(pipes)) as pool:
        pool.submit(_write, feed, stdin)
        output, errors = [pool.submit(_read, reader) for reader, _ in shown]
        status = fork.wait(timeout)
        fork.kill()
        if status is None:
            raise subprocess.TimeoutExpired(command, timeout)
        return subprocess.CompletedProcess(command, status, output.result(), errors.result())


def _write(descriptor: int, text: str) -> None:
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
    except BrokenPipeError:
        pass  # The command ended before it had read all.


def _read(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8") as file:
        return file.read()


@cache
def _server() -> socket.socket:
    """Starts the server, which ends with the socket to it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.fork_server", str(theirs.fileno())],
            cwd=Path(__file__).resolve().parents[1],
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )

    @atexit.register
    def _stop() -> None:
        ours.close()
        process.wait()

    return ours


def _serve(connection: socket.socket) -> list[str]:
    """Answers requests; returns the arguments of a command in its process."""
    # Processes that wait for commands need not be waited for.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, 2**20, 4)
        if not request:
            os._exit(0)
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            command = os.fork()
            if command == 0:
                connection.close()
                return _become(*json.loads(request), descriptors)
            _report(command, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _become(args: list[str], folder: str, env: dict[str, str], descriptors: list[int]) -> list[str]:
    """Gives this process what a command starts with; returns its arguments."""
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    if os.isatty(0):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.path[0] = folder
    return args


def _report(command: int, *descriptors: int) -> NoReturn:
    """Writes the id of a process into the last descriptor, and its status when it has ended."""
    *streams, answers = descriptors
    for descriptor in streams:
        os.close(descriptor)
    os.write(answers, f"{command}\n".encode())
    _, status, usage = os.wait4(command, 0)
    answer = os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
    os.write(answers, f"{json.dumps(answer)}\n".encode())
    os._exit(0)


def _compile() -> None:
    """Compiles the library in another process: the server keeps no state of Lua."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        bytecode_cache.get("")
        # In a state without torch, which changes `loadfile`.
        dump = luajit.new_state().eval("function(file) return string.dump(loadfile(file)) end")
        for path in Path(lua_paths.lua_directory()).rglob("*.lua"):
            bytecode_cache.put(str(path), dump(str(path)))
        with open(writer, "wb") as pipe:
            marshal.dump(bytecode_cache.entries, pipe)
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        bytecode_cache.entries = marshal.load(pipe)
    os.wait()


if __name__ == "__main__":
    import t7shell.__main__
    import t7shell.cli.main
    import t7shell.packages.display.show
    import t7shell.prompt.start
    import t7shell.prompt.terminal
    from t7shell.engine import bytecode_cache, lua_paths, luajit

    _compile()
    # Python's collector would write to the memory that forks share.
    gc.freeze()
    sys.argv = ["t7", *_serve(socket.socket(fileno=int(sys.argv[1])))]
    sys.exit(t7shell.__main__.t7())
