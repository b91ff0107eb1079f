"""The functions that `lua/parallel` calls."""

FUNCTIONS = {".processes": "start attach send receive alive close"}
