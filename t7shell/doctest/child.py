"""A child process that runs the examples of a document.

It reports that it is ready, reads requests, lines of JSON `[kind, source, name, program]`, from the standard
input, and answers `[status, text, message]`. Before the first example standard input becomes empty, and
standard output a file, so that the output of other programs and of C code is collected too.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile

from t7shell.doctest.session import READY, Answer, LocalSession


def serve(dialect: str) -> None:
    """Answers requests until the end of input."""
    # Ctrl-C ends the parent, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing, tempfile.TemporaryFile() as spool:
        os.dup2(nothing.fileno(), 0)
        os.dup2(spool.fileno(), 1)
        session = LocalSession(dialect)
        answers.write(READY)
        answers.flush()
        for line in requests:
            kind, source, name, program = json.loads(line)
            answer = Answer(session.check(source)) if kind == "check" else session.run(source, name, program)
            reply = [answer.status.value, answer.text + _spooled(), answer.message]
            answers.write(json.dumps(reply).encode() + b"\n")
            answers.flush()


def _spooled() -> str:
    """Returns the output on file descriptor 1 since the last call."""
    size = os.lseek(1, 0, os.SEEK_CUR)
    if size == 0:
        return ""
    os.lseek(1, 0, os.SEEK_SET)
    data = os.read(1, size)
    os.lseek(1, 0, os.SEEK_SET)
    os.ftruncate(1, 0)
    return data.decode("utf-8", "surrogateescape")
