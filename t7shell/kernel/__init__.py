"""The Jupyter kernel: a process that speaks Jupyter's protocol, by ipykernel, and one that runs the cells.

There are two processes, because cells run under the checkpoints of the prompt: a cell that cannot be stopped
otherwise is aborted by a return to the process that was forked before it, and the session continues.
"""
