"""The command `t7` and its tools for editors and manuals."""
