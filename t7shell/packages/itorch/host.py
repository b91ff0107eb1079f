"""The functions that `lua/itorch` calls.

=============  ===============================================================================================
show_html      (text): shows HTML in a notebook; elsewhere a file whose name is printed
show_file      (path, kind): shows a file, kind 'audio', 'video', 'image' or 'svg'
new_plot       () -> the number of a new plot
add            (plot, what, color, legend): one more part of a plot, from the columns that were given
column         (address, count): one more column of the part to come
set            (plot, name, value): 'title', 'xaxis', 'yaxis' or 'legend'
draw           (plot): shows a plot
save           (plot, path): writes a plot, as HTML or as a picture, by the ending of the name
html           (plot) -> the plot as HTML
=============  ===============================================================================================

Functions raise ValueError with the reason of a failure.
"""

_MEDIA, _PLOT = "t7shell.packages.itorch.media", "t7shell.packages.itorch.plot"

FUNCTIONS = {
    "show_html": _MEDIA,
    "show_file": _MEDIA,
    **dict.fromkeys(("new_plot", "add", "column", "set", "draw", "save", "html"), _PLOT),
}
