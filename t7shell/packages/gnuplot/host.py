"""The functions that `lua/gnuplot` calls.

=============  ===============================================================================================
curve          (name, format, address, rows, columns): one more curve of the plot to come, as a matrix
columns_of     (format) -> how many columns a curve of a format takes besides x, at least
plot           (kind): plots the curves given since the last plot, as 'plot', 'splot' or 'scatter3'
imagesc        (palette): plots the matrix that was given
setting        (name, ...): a title, a range, ... of this plot and of later ones
raw            (text): commands in the language of gnuplot
figure         (number or nil) -> the number of the figure that is current now
file_figure    (path, format) -> the number of a new figure that is written to a file
print_figure   (path): writes the current figure
flush          (number or nil): shows the figure, or writes its file
close          (number or nil): forgets the figure, after its file is written
close_all      ()
=============  ===============================================================================================

Functions raise ValueError with the reason of a failure.
"""

FUNCTIONS = {
    name: "t7shell.packages.gnuplot.session"
    for name in (
        "curve",
        "columns_of",
        "plot",
        "imagesc",
        "setting",
        "raw",
        "figure",
        "file_figure",
        "print_figure",
        "flush",
        "close",
        "close_all",
    )
}
