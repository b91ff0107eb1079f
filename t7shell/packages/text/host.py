"""What `lua/md5.lua`, `lua/mime.lua`, `lua/sundown` and `lua/lua-utf8.lua` call."""

FUNCTIONS = dict.fromkeys(
    ("md5", "base64", "unbase64", "quoted", "unquoted", "markdown", "case", "width", "category"),
    "t7shell.packages.text.texts",
)
