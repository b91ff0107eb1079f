"""What `lua/cutorch` calls.

=========  ====================================
memory     () -> free and total bytes of memory
cores      () -> cores that the process may use
=========  ====================================
"""

FUNCTIONS = {"memory": "t7shell.cutorch.system", "cores": "t7shell.cutorch.system"}
