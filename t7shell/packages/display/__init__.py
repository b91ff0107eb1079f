"""Where pictures appear: inline in a notebook, in the terminal, in a window, or as a file.

`FUNCTIONS` are those that `lua/packages/image` and `lua/packages/display` call.
"""

FUNCTIONS = {
    ".pixels": "show_pixels",
    ".command": "serve",
    ".page": "configure page_image page_plot page_audio page_text page_close",
}
