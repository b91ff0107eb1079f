"""What `lua/qtwidget` calls. A canvas is an object of `t7shell.packages.qtwidget.canvas`.

=========  ====================================================================================
new        (key, title, width, height, shown) -> canvas; `shown` says whether pictures appear
paint      (canvas, operation, argument, ...) -> nil, or why it failed: a method of `Canvas`
position   (canvas) -> x and y of the current point, or nothing
extent     (canvas, text) -> width and height of a text
place      (canvas, address, planes, height, width, x, y, to_width, to_height): pixels of an image
pixels     (canvas) -> reader of the bytes, height x width x 3
write      (canvas, path) -> nil, or why it failed
can_listen () -> whether pictures appear in windows
listen     (key) -> whether the signals of the window of that key will come
event      (seconds) -> key, signal and its arguments, or nil: the next signal of a window; draws what waits
close      (key): closes a window
=========  ====================================================================================
"""

_CANVAS, _EVENTS = "t7shell.packages.qtwidget.canvas", "t7shell.packages.qtwidget.events"

FUNCTIONS = {
    **dict.fromkeys(("new", "paint", "position", "extent", "place", "pixels", "write"), _CANVAS),
    **dict.fromkeys(("can_listen", "listen", "event", "close"), _EVENTS),
}
