"""What `lua/npy4th` calls.

=========  ==================================================
load       (path) -> reader, or (nil, message)
save       (path, writer) -> nil, or why it failed
save_all   (path, writer of a table) -> nil, or why it failed
=========  ==================================================
"""

FUNCTIONS = {name: "t7shell.packages.npy4th.files" for name in ("load", "save", "save_all")}
