"""The functions that `lua/image` calls.

=============  ===============================================================================================
open_file      (path) -> picture, width, height, planes, bits, kind; or nil, message
open_bytes     (address, count) -> the same for the bytes of a file in memory
read           (picture, address, dtype, planes, height, width) -> nil, or why it failed: writes its planes,
               fractions of white or, in bytes, up to 255
save           (path, kind, address, dtype, planes, height, width, quality) -> nil, or why it failed
encode         (kind, address, dtype, planes, height, width, quality) -> the bytes of a file; or nil, message
can_save       (extension) -> whether a file of that extension can be written
test_picture   (name, address): fills planes of a test picture with bytes
=============  ===============================================================================================
"""

FUNCTIONS = {
    "open_file": "t7shell.image.files",
    "open_bytes": "t7shell.image.files",
    "read": "t7shell.image.files",
    "save": "t7shell.image.files",
    "encode": "t7shell.image.files",
    "can_save": "t7shell.image.files",
    "test_picture": "t7shell.image.pictures",
}
