"""`python -m t7shell` is the same as the command `t7`."""

import sys

from t7shell.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
