"""The functions that `lua/image` calls.

=============  ===============================================================================================
limit          (pixels or nil) -> the most pixels of a picture in a file
head           (path) -> planes, height, width; or nil, message
load           (path) -> address of its pixels, planes, height, width, bits, keeper; or nil, message
load_bytes     (address, count) -> the same for the bytes of a file in memory
save           (path, kind, address, planes, height, width, quality) -> nil, or why it failed: of pixels
encode         (kind, address, planes, height, width, quality) -> the bytes of a file; or nil, message
can_save       (extension) -> whether a file of that extension can be written
misfit         (kind, planes, height, width) -> nil, or why no file of a kind can hold such an image
test_picture   (name, address): fills planes of a test picture with bytes
=============  ===============================================================================================

Pixels are bytes of 1, 2 or 4 planes; those of 3 planes take the room of four. In pictures of 16 bits they are
whole numbers of 32, in those of 32 bits floats.
"""

FUNCTIONS = {
    "limit": "t7shell.packages.image.files",
    "head": "t7shell.packages.image.files",
    "load": "t7shell.packages.image.files",
    "load_bytes": "t7shell.packages.image.files",
    "save": "t7shell.packages.image.files",
    "encode": "t7shell.packages.image.files",
    "can_save": "t7shell.packages.image.files",
    "misfit": "t7shell.packages.image.files",
    "test_picture": "t7shell.packages.image.pictures",
}
