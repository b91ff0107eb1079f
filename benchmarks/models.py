"""Cost of a call of a loaded model from Python, compared with `net:forward` in Lua, alternating in one state.

    python3 benchmarks/models.py

Prints microseconds, the smallest of many short runs, and their ratio. The difference is the cost of a call,
which nn.Identity shows alone: two conversions between arrays and tensors, a pass over the input for NaNs that
LuaJIT does not take for numbers, and the watch for Ctrl-C.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from t7shell import Runtime, load_model

LAYERS = {
    "Identity, 32x100": ("nn.Identity()", (32, 100), 1000),
    "Linear 100-200-10, batch of 32": (
        "nn.Linear(100, 200), nn.Tanh(), nn.Linear(200, 10)", (32, 100), 200,
    ),
    "LeNet 1x32x32, batch of 32": (
        """nn.SpatialConvolution(1, 6, 5, 5), nn.Tanh(), nn.SpatialMaxPooling(2, 2, 2, 2),
        nn.SpatialConvolution(6, 16, 5, 5), nn.Tanh(), nn.SpatialMaxPooling(2, 2, 2, 2), nn.View(400),
        nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 10), nn.LogSoftMax()""", (32, 1, 32, 32), 10,
    ),
    "convolutions 3x64x64, batch of 8": (
        """nn.SpatialConvolution(3, 32, 3, 3), nn.ReLU(), nn.SpatialConvolution(32, 32, 3, 3), nn.ReLU(),
        nn.SpatialMaxPooling(2, 2, 2, 2), nn.SpatialConvolution(32, 64, 3, 3), nn.ReLU()""",
        (8, 3, 64, 64), 2,
    ),
}

ROUNDS = 60

LOOP = """function(net, x, count)
   local begun = sys.clock()
   for _ = 1, count do net:forward(x) end
   return (sys.clock() - begun) / count
end"""


def main() -> None:
    """Measures all networks."""
    for name, (layers, shape, count) in LAYERS.items():
        lua = Runtime()
        lua.execute("require 'nn'")
        loop = lua.eval(LOOP)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.t7"
            lua.execute(f"net = nn.Sequential() for _, m in ipairs {{ {layers} }} do net:add(m) end")
            lua.globals["net"].float()
            lua.globals["torch"].save(str(path), lua.globals["net"])
            model = load_model(path, runtime=lua).eval()
        x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
        in_lua, in_python = [], []
        for _ in range(ROUNDS):
            in_lua.append(loop(model.module, x, count))
            begun = time.perf_counter()
            for _ in range(count):
                model.forward(x)
            in_python.append((time.perf_counter() - begun) / count)
        alone, called = min(in_lua) * 1e6, min(in_python) * 1e6
        print(f"{name:36} Lua {alone:9.0f}  Python {called:9.0f}  ratio {called / alone:.2f}")


if __name__ == "__main__":
    main()
