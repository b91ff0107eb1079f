"""The functions that `lua/packages/image` and `lua/packages/display` call."""

FUNCTIONS = {
    ".pixels": "show_pixels",
    ".command": "serve",
    ".page": "configure page_image page_plot page_audio page_text page_close",
}
