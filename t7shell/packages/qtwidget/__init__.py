"""Windows to draw in: Python's part of the package `qtwidget`."""
