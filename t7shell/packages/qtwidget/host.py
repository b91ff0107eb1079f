"""What `lua/qtwidget` calls. A canvas is an object of `t7shell.packages.qtwidget.canvas`.

=========  ====================================================================================
new        (key, title, width, height, shown) -> canvas; `shown` says whether pictures appear
paint      (canvas, operation, argument, ...) -> nil, or why it failed: a method of `Canvas`
position   (canvas) -> x and y of the current point, or nothing
place      (canvas, address, planes, height, width, x, y, to_width, to_height): pixels of an image
pixels     (canvas) -> reader of the bytes, height x width x 3
write      (canvas, path) -> nil, or why it failed
=========  ====================================================================================
"""

_CANVAS = "t7shell.packages.qtwidget.canvas"

FUNCTIONS = {name: _CANVAS for name in ("new", "paint", "position", "place", "pixels", "write")}
