"""MPI compared with plain mpi4py, and training on two processes with one, alternating.

    python3 benchmarks/mpi.py [--runs N]

Prints the least of several runs: microseconds of an allreduce, and milliseconds of a step of training the
network of examples/digits.lua at one total batch. One process is timed on one core, and with the threads
that it has by itself: with large batches it uses the cores that the ranks would. The upper
bound for ranks is the throughput of two independent processes with half of the batch each. Both cores must be
free: MPI waits busily.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from t7shell import Runtime
from t7shell.packages.mpi import library

HERE = Path(__file__).parent


def allreduce() -> None:
    """Run by mpiexec: the same sum by t7 and by mpi4py, alternating."""
    import numpy as np

    lua = Runtime()
    lua.execute("mpi = require 'mpi'")
    comm_world = library.load().COMM_WORLD
    in_place = library.load().IN_PLACE
    least = library.load().MAX
    in_lua = lua.eval("""function(x, count)
        mpi.barrier()
        local best = math.huge
        for _ = 1, count do
            local begun = sys.clock()
            mpi.allreduce(x, 'max')
            best = math.min(best, sys.clock() - begun)
        end
        return best
    end""")
    for size, count in ((1, 1000), (1000, 1000), (10**6, 30)):
        x = np.ones(size)
        ours, plain = [], []
        for _ in range(7):
            ours.append(in_lua(x, count))
            comm_world.Barrier()
            for _ in range(count):
                begun = time.perf_counter()
                comm_world.Allreduce(in_place, x, op=least)
                plain.append(time.perf_counter() - begun)
        if comm_world.Get_rank() == 0:
            a, b = min(ours) * 1e6, min(plain) * 1e6
            times = f"t7 {a:9.1f}  mpi4py {b:9.1f}  ratio {a / b:.2f}"
            print(f"allreduce of {size:8} doubles  {times}", flush=True)


def main() -> None:
    """Starts the programs."""
    parser = argparse.ArgumentParser(description="MPI beside plain mpi4py, and training beside one process.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--allreduce", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.allreduce:
        allreduce()
        return
    launcher = library.wheel_file("mpiexec") or "mpiexec"
    two = [launcher, "-n", "2"]
    subprocess.run([*two, sys.executable, __file__, "--allreduce"], check=True)
    for batch in (50, 200):
        program = [sys.executable, "-m", "t7shell", str(HERE / "data_parallel.lua")]
        whole, half = [*program, str(batch)], [*program, str(batch // 2), "1"]
        commands = ([[*whole, "1"]], [whole], [two + whole], [half, half])
        times = [[longest(command) for command in commands] for _ in range(options.runs)]
        core, one, both, apart = map(min, zip(*times, strict=True))
        print(f"step of {batch:4} digits  2 processes {both:.3f}, that share nothing {apart:.3f}")
        for name, alone in (("on one core", core), ("with threads", one)):
            gain = f"speedup {alone / both:.2f}, at most {alone / apart:.2f}"
            print(f"{'':11}1 process {name:12} {alone:.3f}  {gain}")


def longest(commands: list[list[str]]) -> float:
    """The most milliseconds of a step that programs print which run at the same time."""
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    found = [program.communicate()[0] for program in programs]
    if any(program.returncode for program in programs):
        sys.exit("a program has failed")
    return max(float(text.split()[0]) for text in found)


if __name__ == "__main__":
    main()
