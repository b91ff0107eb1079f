"""What `lua/audio` calls."""

FUNCTIONS = dict.fromkeys(("load", "save"), "t7shell.packages.audio.sounds")
