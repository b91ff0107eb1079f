"""Texts: Python's part of `md5`, `mime`, `sundown` and `lua-utf8`."""

FUNCTIONS = {".texts": "md5 base64 unbase64 quoted unquoted markdown case case_of_point width category"}
