"""`t7 display`: serves the page that `require 'display'` fills."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from t7shell.core import encoding
from t7shell.packages.display.server import Server


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 display` until Ctrl-C; returns the exit status."""
    parser = argparse.ArgumentParser(
        "t7 display", description="Serve a page on this machine that shows what programs display."
    )
    parser.add_argument("--port", type=int, default=8000, help="8000 if not given; 0 takes a free one")
    try:
        options = parser.parse_args(list(arguments))
        server = Server(options.port)
    except SystemExit as end:
        return int(end.code or 0)
    except (OSError, OverflowError) as reason:
        encoding.write(f"t7 display: cannot listen on port {options.port}: {reason}\n")
        return 1
    with server:
        encoding.write(f"http://127.0.0.1:{server.server_port}  (Ctrl-C ends)\n", sys.stdout)
        sys.stdout.flush()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
