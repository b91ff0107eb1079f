"""What `lua/image` and `lua/display` call."""

FUNCTIONS = {
    "show_pixels": "t7shell.packages.display.pixels",
    "serve": "t7shell.packages.display.command",
    **dict.fromkeys(
        ("configure", "page_image", "page_plot", "page_audio", "page_text", "page_close"),
        "t7shell.packages.display.page",
    ),
}
