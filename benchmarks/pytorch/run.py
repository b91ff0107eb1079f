"""Training steps and layers in the shell beside PyTorch on the same CPU: a table of microseconds and ratios.

    python benchmarks/pytorch/run.py [--rounds N] [--pair FILE] [part of a name]

Each pair of files, FILE.lua and FILE.py, prints rows `name <tab> microseconds`: those of networks, and where
asked for, `along`: operations along dimensions, or `gradients`: those of functions. They run in turn,
`--rounds` times: the shell, PyTorch with one thread, and PyTorch with two. The table has the least of each
and the ratio of PyTorch's better figure to the shell's: above 1 the shell is faster. The last line has the
geometric mean.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PAIRS = ["convolutions", "nets", "elementwise"]


def rows(command: list[str]) -> dict[str, float]:
    """The output of a program, by name."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = (line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    return {name: float(value) for name, value in lines}


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Times networks in the shell and in PyTorch.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pair", choices=["along", "gradients", *PAIRS])
    parser.add_argument("part", nargs="?", default="")
    options = parser.parse_args()
    best: dict[str, list[float]] = {}
    for _ in range(options.rounds):
        for pair in [options.pair] if options.pair else PAIRS:
            script = HERE / f"{pair}.lua"
            peer = [sys.executable, str(script.with_suffix(".py"))]
            commands = [
                [sys.executable, "-m", "t7shell", str(script), options.part],
                [*peer, "1", options.part],
                [*peer, "2", options.part],
            ]
            for column, command in enumerate(commands):
                for name, value in rows(command).items():
                    if options.part in name:
                        times = best.setdefault(name, [math.inf] * len(commands))
                        times[column] = min(times[column], value)
    print(f"{'work':52} {'t7, us':>10} {'1 thread':>10} {'2 threads':>10} {'ratio':>7}")
    ratios = []
    for name, (shell, one, two) in best.items():
        ratios.append(min(one, two) / shell)
        print(f"{name:52} {shell:10.1f} {one:10.1f} {two:10.1f} {ratios[-1]:7.2f}")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"{len(ratios)} rows, the least ratio {min(ratios):.2f}, geometric mean {mean:.2f}")


if __name__ == "__main__":
    main()
