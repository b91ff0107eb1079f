"""The functions that `lua/packages/npy4th` calls."""

FUNCTIONS = {".files": "load save save_all"}
