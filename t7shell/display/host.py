"""The functions that `lua/image` calls to show an image.

=============  ===============================================================================================
show_pixels    (key, title, address, planes, height, width): shows an image, in the place of that key
=============  ===============================================================================================
"""

FUNCTIONS = {"show_pixels": "t7shell.display.pixels"}
