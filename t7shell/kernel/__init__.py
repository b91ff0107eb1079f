"""The Jupyter kernel: a process that speaks Jupyter's protocol, by ipykernel, and one that runs the cells.

Two processes, because cells run under the checkpoints of the prompt: a cell that nothing else stops is
abandoned by returning to the process that was forked before it, and the session goes on.
"""
