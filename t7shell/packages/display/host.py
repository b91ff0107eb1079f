"""The functions that `lua/image` and `lua/display` call.

=============  ===============================================================================================
show_pixels    (key, title, address, planes, height, width): shows an image, replacing the one of that key
configure      (hostname, port): where the page is that `t7 display` serves
page_image     (pane, title, address, planes, height, width): an image on the page
page_plot      (pane, title, address, rows, columns, labels, ylabel): curves over the first column; labels are
               parted by NUL
page_audio     (pane, title, address, samples, channels, rate): sound of samples from -1 to 1
page_text      (pane, title, text): text
page_close     (pane): takes a pane away
=============  ===============================================================================================
"""

_PAGE = "t7shell.packages.display.page"

FUNCTIONS = {
    "show_pixels": "t7shell.packages.display.pixels",
    **dict.fromkeys(("configure", "page_image", "page_plot", "page_audio", "page_text", "page_close"), _PAGE),
}
