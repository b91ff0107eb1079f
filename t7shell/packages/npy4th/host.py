"""The functions that `lua/npy4th` calls."""

FUNCTIONS = {".files": "load save save_all"}
