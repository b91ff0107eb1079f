"""Plots: Python's part of the package `gnuplot`, on matplotlib, which is imported when something is drawn."""

FUNCTIONS = {
    ".session": (
        "curve columns_of plot imagesc setting raw figure file_figure print_figure flush close replace "
        "close_all"
    ),
}
