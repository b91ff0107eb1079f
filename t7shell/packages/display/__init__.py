"""Where pictures appear: inline in a notebook, in the terminal, in a window, or as a file."""
