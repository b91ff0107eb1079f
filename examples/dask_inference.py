"""A network of Torch7 over an array of Dask: each worker process computes the blocks it is given.

    python3 dask_inference.py

Needs dask.distributed: pip install '.[dask]'
"""

from __future__ import annotations

import dask.array as da
import numpy as np
from dask.distributed import Client

from t7shell import Model, Runtime


def main() -> None:
    # A network as `load_model("net.t7")` gives one.
    lua = Runtime()
    lua.execute("require 'nn' torch.manualSeed(1)")
    net = lua.eval("nn.Sequential():add(nn.Linear(8, 16)):add(nn.Tanh()):add(nn.Linear(16, 3))")
    model = Model(net).float().eval()

    samples = np.random.default_rng(1).normal(size=(1000, 8)).astype("float32")
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        # The model goes to the workers by pickle, and lives in a Lua state of each.
        blocks = da.from_array(samples, chunks=(250, 8))
        scores = blocks.map_blocks(model, dtype="float32", chunks=(250, 3)).compute()
    print("scores:", scores.shape)
    # How a product is rounded may depend on its number of rows, and thus on the size of a block.
    print("as computed here:", np.allclose(scores, model(samples), atol=1e-6))


if __name__ == "__main__":
    main()
