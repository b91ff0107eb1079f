"""Windows to draw in: Python's part of the package `qtwidget`."""

FUNCTIONS = {
    ".painting": "new paint position extent place pixels write",
    ".events": "can_listen listen event close",
}
