"""The functions that `lua/md5.lua`, `lua/mime.lua`, `lua/sundown` and `lua/lua-utf8.lua` call."""

FUNCTIONS = {".texts": "md5 base64 unbase64 quoted unquoted markdown case width category"}
