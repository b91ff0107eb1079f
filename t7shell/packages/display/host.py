"""The functions that `lua/image` and `lua/display` call."""

FUNCTIONS = {
    ".pixels": "show_pixels",
    ".command": "serve",
    ".page": "configure page_image page_plot page_audio page_text page_close",
}
