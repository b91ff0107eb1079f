"""distlearn and the trees of ipc on two and three ranks, against sums that are computed by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..mpi.conftest import Run
from ..mpi.test_collectives import lines

pytestmark = pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])

TREE = "local tree = require 'ipc.LocalhostTree'(rank + 1, size)\n"


def test_trees(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = (
        TREE
        + """
    say(tree.nodeIndex, tree.numNodes)
    local value = { torch.Tensor(2):fill(rank + 1), { torch.Tensor(1):fill(10 * rank) } }
    local same, n = tree.allReduce(value, tree.add)
    say(rawequal(same, value), n, value[1][2], value[2][1][1])
    -- By functions of the program.
    local x = torch.Tensor{rank + 1, -rank}
    tree.allReduce(x, function(a, b) return a:cmul(b) end)
    local y = torch.Tensor{rank + 1}
    tree.allReduce(y, function(a, b) return torch.cmax(a, b) end)
    say(x[1], x[2] == 0, everywhere(y[1] == size))
    local z = { torch.Tensor(1):fill(rank) }
    tree.scatter(z)
    say(everywhere(z[1][1] == 0))
    tree.walkTable(z, function(t) return torch.ones(2) end)
    say(z[1]:sum())
    """
    )
    total, product = sum(range(1, ranks + 1)), 2 if ranks == 2 else 6
    assert lines(mpiexec, ranks, source, tmp_path) == [
        f"1\t{ranks}", f"true\t{ranks}\t{total}\t{10 * (total - ranks)}",
        f"{product}\ttrue\ttrue", "true", "2",
    ]  # fmt: skip


def test_uneven_steps_of_gradients(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    """Rank r makes r + 1 steps with gradients of r + 1; the last rank makes most and gives its parameters."""
    source = (
        TREE
        + """
    local sgd = require 'distlearn.AllReduceSGD'(tree)
    local w = { torch.Tensor(3):fill(rank) }
    sgd.synchronizeParameters(w)
    say(everywhere(w[1]:sum() == 0))
    local seen = {}
    for step = 1, rank + 1 do
       local g = { torch.Tensor(3):fill(rank + 1) }
       sgd.sumAndNormalizeGradients(g)
       w[1]:add(-1, g[1])
       seen[step] = g[1][1]
    end
    sgd.synchronizeParameters(w)
    local last = mpi.broadcast(seen, size - 1)
    local sum = 0
    for i, mean in ipairs(last) do sum = sum + mean end
    say(table.concat(last, ' '), everywhere(w[1][2] == -sum))
    say(sgd.sumGradients({ torch.ones(1) }))
    """
    )
    means = {2: "1.5 2", 3: "2 2.5 3"}[ranks]
    assert lines(mpiexec, ranks, source, tmp_path) == ["true", f"{means}\ttrue", f"{ranks}"]


def test_elastic_averaging(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = (
        TREE
        + """
    local ea = require('distlearn').AllReduceEA(tree, 2, 0.5)
    local w = torch.Tensor(2):fill(rank)
    ea.synchronizeParameters(w)
    for step = 1, 4 do
       w:add(rank + 1)
       ea.averageParameters(w)
    end
    local all = mpi.gather(w[1])
    if all then print(table.concat(all, ' ')) end
    ea.synchronizeCenter(w)
    if rank == 1 then for _ = 1, 2 do ea.averageParameters(w) end end
    ea.synchronizeParameters(w)
    say(everywhere(w[1] == mpi.broadcast(w[1], 1)))
    """
    )
    center, own = 0.0, [0.0] * ranks
    for _ in range(2):
        own = [value + 2 * (rank + 1) for rank, value in enumerate(own)]
        moves = [(value - center) / 2 for value in own]
        own = [value - move for value, move in zip(own, moves, strict=True)]
        center += sum(moves)
    printed = lines(mpiexec, ranks, source, tmp_path)
    assert printed == [" ".join(f"{value:g}" for value in own), "true"]


def test_wrong_nodes(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    local LocalhostTree = require('ipc').LocalhostTree
    say(select(2, pcall(LocalhostTree, 1, 9)))
    say(select(2, pcall(LocalhostTree, 2, size)))
    say(select(2, pcall(LocalhostTree().allReduce, torch.ones(1), 5)))
    say(select(2, pcall(require 'distlearn.AllReduceEA', nil, 0, 0.5)))
    """
    printed = lines(mpiexec, ranks, source, tmp_path)
    assert f"ranks must be as many as nodes, by mpiexec -n 9 t7 ... (got {ranks})" in printed[0]
    assert "rank 0 is node 1 (got 2): pass require 'mpi'.rank() + 1" in printed[1]
    assert "tree.allReduce: argument 2 must be a function (got 5)" in printed[2]
    assert "AllReduceEA: tau must be a whole number of at least 1 (got 0)" in printed[3]
