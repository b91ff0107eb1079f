"""What `lua/md5.lua`, `lua/mime.lua`, `lua/sundown` and `lua/lua-utf8.lua` call. Strings are bytes.

============  =====================================================================
md5           (text) -> 16 bytes
base64        (text) -> text
unbase64      (text) -> text, without bytes after the last whole group
quoted        (text) -> text in quoted-printable
unquoted      (text) -> text
markdown      (text) -> HTML; or (None, message)
case          (name, text) -> 'lower', 'upper', 'title' or 'fold' of UTF-8
width         (code point) -> how many cells of a terminal it takes
category      (code point) -> its category of Unicode, as 'Lu'
============  =====================================================================
"""

_TEXTS = "t7shell.packages.text.texts"

FUNCTIONS = {
    name: _TEXTS
    for name in ("md5", "base64", "unbase64", "quoted", "unquoted", "markdown", "case", "width", "category")
}
