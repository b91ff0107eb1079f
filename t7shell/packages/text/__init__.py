"""Texts: Python's part of `md5`, `mime`, `sundown` and `lua-utf8`."""
