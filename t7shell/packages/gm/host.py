"""What `lua/gm` calls. A picture is an object of Pillow; where something fails the result is (None, message).

===========  ===========================================================================================
open         (path, width, height) -> picture; a size lets large JPEG files be read at a smaller scale
decode       (bytes) -> picture of the bytes of a file
make         (address, height, width, planes) -> picture of bytes, height x width x planes
pixels       (picture, planes) -> reader of the bytes of 1 to 4 planes: grey, grey and alpha, RGB, RGBA
write        (picture, path, quality) -> true: a file of the kind of its ending
encode       (picture, format, quality) -> bytes
size         (picture) -> width, height
property     (picture, name) -> 'format', 'type', 'colorspace' or 'depth'
change       (picture, name, argument, ...) -> picture: an operation of t7shell.packages.gm.operations
profile      (picture, name) -> bytes, or nil
set_profile  (picture, name, bytes) -> picture
===========  ===========================================================================================
"""

_PICTURES = "t7shell.packages.gm.pictures"

FUNCTIONS = {
    name: _PICTURES
    for name in (
        "open",
        "decode",
        "make",
        "pixels",
        "write",
        "encode",
        "size",
        "property",
        "profile",
        "set_profile",
    )
} | {"change": "t7shell.packages.gm.operations"}
