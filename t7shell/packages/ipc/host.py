"""What `lua/ipc` calls."""

FUNCTIONS = dict.fromkeys(
    (
        "listen", "accept", "connect", "send", "head", "body", "ready", "traffic", "close",
    ),
    "t7shell.packages.ipc.connections",
)  # fmt: skip
FUNCTIONS |= dict.fromkeys(
    ("workqueue_state", "workqueue_open", "workqueue_close"), "t7shell.packages.ipc.workqueues"
)
