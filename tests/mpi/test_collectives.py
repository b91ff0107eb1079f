"""Collectives of the package `mpi` on two and three ranks. Each script prints at rank 0 what it checks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import Run

pytestmark = pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])

# say(...): prints at rank 0. everywhere(x): whether x is true on all ranks.
HEAD = """
local mpi = require 'mpi'
local rank, size = mpi.rank(), mpi.size()
local function say(...) if rank == 0 then print(...) end end
local function everywhere(x) return mpi.allreduce(x and 1 or 0, 'min') == 1 end
local KINDS = { 'Double', 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' }
"""
KINDS = ["Double", "Float", "Half", "Long", "Int", "Short", "Char", "Byte"]


def lines(run: Run, ranks: int, source: str, cwd: Path) -> list[str]:
    done = run(ranks, HEAD + source, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_ranks(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = "say(table.concat(mpi.gather(rank .. ' of ' .. size) or {}, ' '))"
    [printed] = lines(mpiexec, ranks, source, tmp_path)
    assert printed == " ".join(f"{rank} of {ranks}" for rank in range(ranks))


def test_ranks_share_the_cores(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = "say(everywhere(torch.getnumthreads() == math.max(1, math.floor(torch.getnumcores() / size))))"
    assert lines(mpiexec, ranks, source, tmp_path) == ["true"]


def test_reductions_of_all_types_and_layouts(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    for _, kind in ipairs(KINDS) do
       for _, op in ipairs { 'sum', 'prod', 'max', 'min' } do
          local x = torch.range(1, 24):view(2, 3, 4):type('torch.' .. kind .. 'Tensor'):fmod(4):add(rank)
          local part = x:transpose(1, 3):narrow(2, 2, 2)
          local same = rawequal(mpi.allreduce(part, op), part)
          say(kind, op, same, table.concat(x:double():view(24):totable(), ' '))
       end
    end
    """
    each = [(np.arange(1, 25).reshape(2, 3, 4) % 4 + rank) for rank in range(ranks)]
    wanted = []
    for kind in KINDS:
        for op in ("sum", "prod", "max", "min"):
            result = each[0].copy()
            result[:, 1:] = getattr(np, op)(np.stack(each), axis=0)[:, 1:]
            wanted.append(f"{kind}\t{op}\ttrue\t" + " ".join(map(str, result.ravel())))
    assert lines(mpiexec, ranks, source, tmp_path) == wanted


def test_means_numbers_tables_and_empty_tensors(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    say(mpi.allreduce(torch.Tensor{1, 2}:mul(rank), 'mean')[2])
    say(mpi.allreduce(rank + 1), mpi.allreduce(rank, 'max'), mpi.allreduce(rank + 1, 'mean'))
    local many = { torch.ones(2), { b = torch.FloatTensor(1):fill(rank), a = torch.LongTensor(2):fill(1) } }
    mpi.allreduce(many)
    say(many[1]:sum(), many[2].b[1], many[2].a[2])
    say(mpi.allreduce(torch.Tensor()):nElement())
    local five = torch.ones(1, 2, 1, 2, 1, 2)
    say(mpi.allreduce(five:transpose(2, 6)):sum())
    local kept = torch.Tensor(2):fill(rank + 1)
    mpi.reduce(kept, 'sum', size - 1)
    say(everywhere(kept[1] == (rank == size - 1 and size * (size + 1) / 2 or rank + 1)))
    say(mpi.reduce(torch.HalfTensor(1):fill(2), 'mean')[1])
    local expanded = torch.Tensor(1):fill(rank):expand(3)
    say(mpi.allreduce(expanded)[2])
    """
    total = sum(range(ranks))
    mean = total / ranks
    assert lines(mpiexec, ranks, source, tmp_path) == [
        f"{2 * mean:g}", f"{total + ranks}\t{ranks - 1}\t{mean + 1:g}", f"{2 * ranks}\t{total}\t{ranks}", "0",
        f"{8 * ranks}", "true", "2", f"{total}",
    ]  # fmt: skip


def test_broadcast(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    for _, kind in ipairs(KINDS) do
       local x = torch.zeros(3, 4):type('torch.' .. kind .. 'Tensor')
       if rank == size - 1 then x:fill(7) end
       mpi.broadcast(x:t():narrow(1, 2, 2), size - 1)
       say(everywhere(x:double():sum() == (rank == size - 1 and 84 or 42)))
    end
    local value = mpi.broadcast(rank == 0 and { name = 'x', list = { 1, torch.ones(2) } } or nil)
    say(everywhere(value.name == 'x' and value.list[2]:sum() == 2))
    local f = mpi.broadcast(rank == 0 and function(x) return x + 1 end or nil)
    say(everywhere(f(1) == 2), everywhere(mpi.broadcast(nil) == nil), mpi.broadcast(false))
    say(everywhere(mpi.broadcast('a\\0b\\255') == 'a\\0b\\255'))
    """
    printed = lines(mpiexec, ranks, source, tmp_path)
    assert printed == ["true"] * (len(KINDS) + 1) + ["true\ttrue\tfalse", "true"]


def test_gather_and_scatter(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    local all = mpi.gather({ rank = rank, x = torch.Tensor(rank + 1):fill(rank) }, size - 1)
    say(everywhere((all ~= nil) == (rank == size - 1)))
    say(everywhere(not all or (#all == size and all[2].rank == 1 and all[2].x:size(1) == 2)))
    local tensors = mpi.allgather(torch.IntTensor{rank})
    say(everywhere(#tensors == size and tensors[size][1] == size - 1))
    local whole = torch.Tensor(2, size):t()
    mpi.allgather(torch.Tensor{rank, 10 * rank}, whole)
    say(everywhere(whole[size][1] == size - 1 and whole[2][2] == 10))
    local result = rank == 0 and torch.ByteTensor(size, 2) or nil
    mpi.gather(torch.ByteTensor(4):fill(rank + 1)[{{1, 3, 2}}], 0, result or torch.ByteTensor())
    say(result and result:double():sum())
    local mine = mpi.scatter(rank == 0 and { 'a', { 5 }, torch.ones(1) } or nil)
    say(mine, everywhere(rank ~= 1 or mine[1] == 5))
    local part = torch.Tensor(3, 2):t()
    mpi.scatter(rank == 1 and torch.range(1, 6 * size):view(size, 2, 3) or nil, 1, part)
    say(everywhere(part[2][1] == 6 * rank + 4))
    """
    total = 2 * sum(range(1, ranks + 1))
    assert lines(mpiexec, ranks, source, tmp_path) == [
        "true", "true", "true", "true", f"{total}", "a\ttrue", "true",
    ]  # fmt: skip


def test_names_of_torchmpi(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    mpi.start(false)
    say(require 'torchmpi' == mpi)
    local x = mpi.allreduceTensor(torch.Tensor(2):fill(rank))
    say(x[1])
    mpi.broadcastTensor(1, x:fill(rank))
    mpi.reduceTensor(0, x)
    say(x[2], mpi.allreduce_double(0.5), mpi.broadcast_int(0, 3))
    local all = torch.Tensor()
    mpi.allgatherTensor(torch.Tensor{rank}, all)
    say(all:size(1), all[2])
    local ring = torch.Tensor(3, 2):fill(rank):t()
    mpi.sendreceiveTensor(ring, (rank - 1) % size, (rank + 1) % size)
    say(everywhere(ring:sum() == 6 * ((rank - 1) % size)))
    local strided = torch.ones(3, 2):t()
    mpi.syncHandle(mpi.async.allreduceTensor(strided))
    say(everywhere(strided:sum() == 6 * size and strided[1][2] == size))
    say(everywhere(mpi.syncHandle(mpi.async.broadcastTensor(0, torch.Tensor(2):fill(rank)))[1] == 0))
    mpi.barrier()
    mpi.stop()
    """
    assert lines(mpiexec, ranks, source, tmp_path) == [
        "true", f"{sum(range(ranks))}", f"{ranks}\t{ranks / 2:g}\t3", f"{ranks}\t1", "true", "true", "true",
    ]  # fmt: skip


def test_networks_of_torchmpi(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    require 'nn'
    local mpinn = require 'torchmpi.nn'
    torch.manualSeed(rank)
    local net = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Linear(2, 1))
    local before = mpi.allgather(net:get(1).weight)
    mpinn.synchronizeParameters(net)
    say(everywhere(net:get(1).weight:equal(before[1])), before[1]:equal(before[2]))
    net:get(1).weight:fill(rank)
    mpinn.synchronizeParameters(net, true)
    say(net:get(1).weight[1][1])
    net:get(2).gradBias:fill(rank + 1)
    mpinn.synchronizeGradients(net)
    say(net:get(2).gradBias[1])
    """
    total = sum(range(ranks))
    printed = lines(mpiexec, ranks, source, tmp_path)
    assert printed == ["true\tfalse", f"{total / ranks:g}", f"{total + ranks}"]
