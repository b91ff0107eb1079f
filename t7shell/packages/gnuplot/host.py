"""What `lua/gnuplot` calls."""

FUNCTIONS = dict.fromkeys(
    (
        "curve", "columns_of", "plot", "imagesc", "setting", "raw", "figure", "file_figure", "print_figure",
        "flush", "close", "close_all",
    ),
    "t7shell.packages.gnuplot.session",
)  # fmt: skip
