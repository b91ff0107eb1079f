"""The functions that `lua/packages/parallel` calls."""

FUNCTIONS = {".processes": "start attach send receive alive close"}
