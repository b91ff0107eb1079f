"""Documents whose examples are tests: finding them, running them, and comparing their output."""
