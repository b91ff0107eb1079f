"""What `lua/itorch` calls."""

FUNCTIONS = {
    **dict.fromkeys(("show_html", "show_file"), "t7shell.packages.itorch.media"),
    **dict.fromkeys(
        ("new_plot", "add", "column", "set", "draw", "save", "html"),
        "t7shell.packages.itorch.plot",
    ),
}
