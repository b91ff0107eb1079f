"""`t7 display`: serves the page that `require 'display'` fills."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from t7shell.engine import command_line
from t7shell.host import encoding
from t7shell.packages.display.server import Server

_LAST_PORT = 65535


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 display` until Ctrl-C; returns the exit status."""
    parser = argparse.ArgumentParser(
        "t7 display", description="Serve a page on this machine that shows the output of `display`."
    )
    parser.add_argument("--port", type=_port, default=8000, help="8000 if not given; 0 takes a free one")
    return command_line.run(parser, arguments, lambda options: serve(options.port))


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LAST_PORT:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to {_LAST_PORT} (got {text!r})")
    return int(text)


def serve(port: float) -> int:
    """Serves the page at a port until Ctrl-C; returns the exit status. Raises ValueError for a taken port."""
    try:
        server = Server(int(port))
    except (OSError, OverflowError) as reason:
        raise ValueError(f"cannot listen on port {port:.0f}: {reason}") from None
    with server:
        encoding.write(f"http://127.0.0.1:{server.server_port}  (Ctrl-C ends)\n", sys.stdout)
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
