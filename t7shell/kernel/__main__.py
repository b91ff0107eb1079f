"""Jupyter starts this: `python -m t7shell.kernel -f connection_file`."""

import sys

from t7shell.kernel.app import run

if __name__ == "__main__":
    run(sys.argv[1:])
