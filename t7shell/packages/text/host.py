"""The functions that the packages md5, mime, sundown and lua-utf8 call."""

FUNCTIONS = {".texts": "md5 base64 unbase64 quoted unquoted markdown case width category"}
