"""What `lua/npy4th` calls."""

FUNCTIONS = dict.fromkeys(("load", "save", "save_all"), "t7shell.packages.npy4th.files")
