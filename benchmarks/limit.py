"""Large element-wise work beside two threads of C on the same machine: where the memory is the limit.

    python3 benchmarks/limit.py [processes]

Both run in turn, so that what else the machine does meets both; the medians are printed. Needs `cc`, and a
processor with AVX2. Nothing here asserts a time.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
GROUP = "limit of memory"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        subprocess.run(
            ["cc", "-O2", "-mavx2", "-o", program, str(HERE / "limit.c"), "-lpthread"], check=True
        )
        cases = [sys.executable, "-m", "t7shell", str(HERE / "cases.lua"), GROUP]
        commands = {"t7": cases, "C": [program]}
        spent: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for _ in range(rounds):
            for who, command in commands.items():
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                for line in out.splitlines():
                    *_, name, nanoseconds = line.split("\t")
                    spent[name][who].append(float(nanoseconds))
    print(f"{'1000 x 1000 doubles':24} {'t7, us':>8} {'C, us':>8}")
    for name, times in spent.items():
        t7, c = (statistics.median(times[who]) / 1000 for who in commands)
        print(f"{name:24} {t7:8.0f} {c:8.0f}")


if __name__ == "__main__":
    main()
