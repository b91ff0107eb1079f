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
LUA = """
local ffi = require 'ffi'
ffi.cdef 'typedef struct { long s; long ns; } t7_time; int clock_gettime(int clock, t7_time *time);'
local time = ffi.new 't7_time'
local function now()
   ffi.C.clock_gettime(1, time)
   return tonumber(time.s) * 1e9 + tonumber(time.ns)
end
local a, b, r = torch.ones(1000, 1000), torch.ones(1000, 1000), torch.ones(1000, 1000)
local function row(name, work)
   work(20)
   local best = math.huge
   for _ = 1, 5 do
      local start = now()
      work(128)
      best = math.min(best, (now() - start) / 128)
   end
   print(('%s\\t%.0f'):format(name, best))
end
row('r:cmul(a, b)', function(n) for _ = 1, n do r:cmul(a, b) end end)
row('r:mul(1.0000001)', function(n) for _ = 1, n do r:mul(1.0000001) end end)
row('torch.pow(r, a, 2)', function(n) for _ = 1, n do torch.pow(r, a, 2) end end)
row('r:add(a)', function(n) for _ = 1, n do r:add(a) end end)
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "limit")
        subprocess.run(
            ["cc", "-O2", "-mavx2", "-o", program, str(HERE / "limit.c"), "-lpthread"], check=True
        )
        commands = {"t7": [sys.executable, "-m", "t7shell", "-e", LUA], "C": [program]}
        spent: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for _ in range(rounds):
            for who, command in commands.items():
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                for line in out.splitlines():
                    name, _, nanoseconds = line.partition("\t")
                    spent[name][who].append(float(nanoseconds))
    print(f"{'1000 x 1000 doubles':24} {'t7, us':>8} {'C, us':>8}")
    for name, times in spent.items():
        t7, c = (statistics.median(times[who]) / 1000 for who in commands)
        print(f"{name:24} {t7:8.0f} {c:8.0f}")


if __name__ == "__main__":
    main()
