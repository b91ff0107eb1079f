"""The functions that `lua/packages/gnuplot` calls."""

FUNCTIONS = {
    ".session": (
        "curve columns_of plot imagesc setting raw figure file_figure print_figure flush close close_all"
    ),
}
