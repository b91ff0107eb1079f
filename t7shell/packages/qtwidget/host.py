"""The functions that `lua/packages/qtwidget` calls."""

FUNCTIONS = {
    ".painting": "new paint position extent place pixels write",
    ".events": "can_listen listen event close",
}
