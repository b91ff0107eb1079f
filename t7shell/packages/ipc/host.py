"""What `lua/ipc` calls."""

listen     (host, port) -> listener, port; or (nil, message). Port 0 is any that is free
accept     (listener) -> connection; waits for the next client. Or (nil, message)
connect    (host, port, seconds to try) -> connection, or (nil, message)
send       (connection, type, address, bytes, size, size, ...) -> nil, or a message. The type of a tensor
           ('Double'); '' for the bytes of another value
head       (connection) -> type, bytes, size, size, ... of what comes next, which waits; or (nil, message)
body       (connection, address, bytes) -> nil, or a message: the elements or bytes that follow a head
ready      (connection, ...) -> the number of the first that has something to receive, in turn; waits. Or
           (nil, message)
traffic    (connection) -> bytes sent, bytes received
close      (connection or listener)

workqueue_*  queues by their names, see `workqueues.py`
=========  ===============================================================================================
"""

FUNCTIONS = {
    name: "t7shell.packages.ipc.connections"
    for name in (
        "listen", "accept", "connect", "send", "head", "body", "ready", "traffic", "close",
    )
}  # fmt: skip
FUNCTIONS |= {
    name: "t7shell.packages.ipc.workqueues"
    for name in ("workqueue_state", "workqueue_open", "workqueue_close")
}
=======
FUNCTIONS = dict.fromkeys(
    (
        "listen", "accept", "connect", "send", "head", "body", "ready", "traffic", "close",
    ),
    "t7shell.packages.ipc.connections",
)  # fmt: skip
FUNCTIONS |= dict.fromkeys(
    ("workqueue_state", "workqueue_open", "workqueue_close"), "t7shell.packages.ipc.workqueues"
)
