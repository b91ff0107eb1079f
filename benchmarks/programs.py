"""Times whole programs in the shell, each in many processes.

    python3 benchmarks/programs.py [--runs N] [part of a name]

Prints the microseconds of a step: the least, the median and the 90th percentile. The traces that
LuaJIT compiles, and their order, differ between processes: the last column is the 90th percentile over the
least.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def once(program: Path) -> float:
    """The microseconds of a step, in a separate process."""
    command = [sys.executable, "-m", "t7shell", str(HERE / "program.lua"), str(program)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description="Times whole programs, each in many processes.")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("part", nargs="?", default="")
    options = parser.parse_args()
    print(f"{'program':20} {'least':>9} {'median':>9} {'90 %':>9} {'spread':>7}")
    for program in sorted((HERE / "programs").glob("*.lua")):
        if options.part not in program.stem:
            continue
        times = sorted(once(program) for _ in range(options.runs))
        high = times[int(0.9 * (len(times) - 1))]
        columns = (times[0], statistics.median(times), high)
        print(f"{program.stem:20} {' '.join(f'{value:9.2f}' for value in columns)} {high / times[0]:7.2f}")


if __name__ == "__main__":
    main()
