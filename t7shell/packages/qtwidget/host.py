"""What `lua/qtwidget` calls."""

_PAINTING, _EVENTS = "t7shell.packages.qtwidget.painting", "t7shell.packages.qtwidget.events"

FUNCTIONS = {
    **dict.fromkeys(("new", "paint", "position", "extent", "place", "pixels", "write"), _PAINTING),
    **dict.fromkeys(("can_listen", "listen", "event", "close"), _EVENTS),
}
