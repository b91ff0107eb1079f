"""The functions that `lua/packages/ipc` calls."""

FUNCTIONS = {
    ".connections": "listen accept connect send head body ready traffic close",
    ".workqueues": "workqueue_state workqueue_open workqueue_close",
}
