"""What `lua/ipc` calls."""

FUNCTIONS = dict.fromkeys(
    (
        "listen", "accept", "connect", "send", "head", "body", "ready", "traffic", "close",
    ),
    "t7shell.packages.ipc.connections",
)  # fmt: skip
