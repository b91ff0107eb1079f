"""What `lua/audio` calls.

=========  =========================================================================================
load       (path) -> reader of { samples x channels, rate }; or (None, message)
save       (path, writer of samples x channels, rate) -> nil, or why it failed
=========  =========================================================================================
"""

FUNCTIONS = {name: "t7shell.packages.audio.sounds" for name in ("load", "save")}
