"""What `lua/matio` calls.

=========  =======================================================================
load       (path, name, ...) -> reader of a table of these or all variables, or (nil, message)
save       (path, writer of a table) -> nil, or why it failed
=========  =======================================================================
"""

FUNCTIONS = {name: "t7shell.packages.matio.files" for name in ("load", "save")}
