"""Work compared with two threads of C on the same machine: where the memory is the limit, the collector, the
exchanges of a quicksort, or SciPy's LAPACK.

    python3 benchmarks/limit.py [processes]

Both run in turn, so that other load on the machine affects both; the medians are printed. Needs `cc`, and a
processor with AVX2. Nothing here asserts a time.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import scipy

HERE = Path(__file__).parent
GROUP = "limits"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        libraries = ["-lpthread", "-ldl"]
        subprocess.run(
            ["cc", "-O2", "-mavx2", "-o", program, str(HERE / "limit.c"), *libraries], check=True
        )
        [lapack] = Path(scipy.__file__).parent.with_name("scipy.libs").glob("libscipy_openblas-*.so")
        cases = [sys.executable, "-m", "t7shell", str(HERE / "cases.lua"), GROUP]
        commands = {"t7": cases, "C": [program, str(lapack)]}
        spent: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        one = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        for _ in range(rounds):
            for side, command in commands.items():
                out = subprocess.run(command, check=True, capture_output=True, text=True, env=one).stdout
                for line in out.splitlines():
                    *_, name, nanoseconds = line.split("\t")
                    spent[name][side].append(float(nanoseconds))
    print(f"{'1000 x 1000 doubles':32} {'t7, us':>8} {'C, us':>8}")
    for name, times in spent.items():
        t7, c = (f"{statistics.median(times[side]) / 1000:.1f}" if times[side] else "" for side in commands)
        print(f"{name:32} {t7:>8} {c:>8}")


if __name__ == "__main__":
    main()
