"""What `lua/matio` calls."""

FUNCTIONS = dict.fromkeys(("load", "save"), "t7shell.packages.matio.files")
