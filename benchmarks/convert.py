"""Time to write the ONNX model of a large network, compared with reading and writing the network's bytes.

    python3 benchmarks/convert.py [megabytes]

Prints seconds, the smallest of several runs that take turns: reading and writing the `.t7` file, writing the
model, the check of onnx.checker, and the comparison in `t7 convert`: a run in onnxruntime and one in t7.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from t7shell import Runtime
from t7shell.convert import Options, onnx_model
from t7shell.convert.comparison import outputs_of, random_inputs
from t7shell.convert.network import trace_file

NET = """require 'nn'
local net = nn.Sequential():add(nn.Linear(5000, 2 * n)):add(nn.ReLU()):add(nn.Linear(2 * n, 5000)):float()
for _, layer in ipairs(net.modules) do layer.gradWeight, layer.gradBias = nil, nil end
torch.save(path, net)"""
ROUNDS = 5


def main(megabytes: int = 500) -> None:
    """Measures a network of a size in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        source, copy, target = (Path(folder) / name for name in ("net.t7", "copy.t7", "net.onnx"))
        with Runtime() as lua:
            lua.globals["path"], lua.globals["n"] = str(source), megabytes * 10**6 // 80_000
            lua.execute(NET)
        graph = trace_file(str(source), ())
        inputs = random_inputs(graph)
        steps: dict[str, Callable[[], Any]] = {
            "read and write the bytes": lambda: copy.write_bytes(source.read_bytes()),
            "write the model": lambda: onnx_model.Model(trace_file(str(source), ())).write(str(target)),
            "onnx.checker": lambda: onnx_model.Model(graph).check(),
            "onnxruntime": lambda: onnx_model.run(str(target), inputs),
            "t7": lambda: outputs_of(str(source), graph, inputs),
            "t7 convert in all": lambda: onnx_model.write(str(source), str(target), Options()),
        }
        best = dict.fromkeys(steps, float("inf"))
        for _ in range(ROUNDS):
            for name, step in steps.items():
                begun = time.perf_counter()
                step()
                best[name] = min(best[name], time.perf_counter() - begun)
    reading = best["read and write the bytes"]
    for name, seconds in best.items():
        print(f"{name:26} {seconds:6.2f} s  {seconds / reading:5.2f} times reading and writing")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
