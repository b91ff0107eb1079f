"""Connections between processes: Python's part of the package `ipc`."""

FUNCTIONS = {
    ".connections": "listen accept connect send head body ready traffic close",
    ".workqueues": "workqueue_state workqueue_open workqueue_close",
}
