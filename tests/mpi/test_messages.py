"""Messages between ranks, errors, and the end of a run in which one rank fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import run_t7
from .conftest import Run
from .test_collectives import HEAD, lines


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_messages(mpiexec: Run, ranks: int, tmp_path: Path) -> None:
    source = """
    local after, before = (rank + 1) % size, (rank - 1) % size
    for _, kind in ipairs { 'Double', 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
       local x = torch.range(1, 6):view(2, 3):add(rank):type('torch.' .. kind .. 'Tensor')
       local request = mpi.isend(x:t(), after, 5)
       local y, sender = mpi.recv(x.new(2, 3):t(), before, 5)
       request:wait()
       assert(sender == before and y[2][1] == 2 + before and y[1][2] == 4 + before)
    end
    local sent = { mpi.isend({ rank }, after), mpi.isend('text', after, 1) }
    sent[3] = mpi.isend(torch.Tensor(), after, 2)
    local value, sender = mpi.recv(before)
    assert(value[1] == before and sender == before)
    assert(mpi.recv(mpi.anyRank, 1) == 'text')
    assert(mpi.recv(torch.Tensor(), mpi.anyRank, mpi.anyTag):nElement() == 0)
    for _, request in ipairs(sent) do mpi.wait(request) end
    local into = torch.zeros(4, 2)
    local requests = { mpi.irecv(into:select(2, 2), before, 7), mpi.irecv(before, 8) }
    sent = { mpi.isend(torch.Tensor(4):fill(rank), after, 7), mpi.isend({ x = rank }, after, 8) }
    local t, from = requests[1]:wait()
    assert(t:sum() == 4 * before and into:sum() == 4 * before and from == before)
    assert(requests[2]:wait().x == before and requests[2]:wait().x == before)
    for _, request in ipairs(sent) do request:wait() end
    -- Requests keep the memory that the program has dropped.
    sent = {}
    for i = 1, 20 do
       sent[i] = mpi.isend(torch.Tensor(100000):fill(i), after, 9)
       collectgarbage()
    end
    for i = 1, 20 do assert(mpi.recv(torch.Tensor(100000), before, 9):sum() == 100000 * i) end
    for _, request in ipairs(sent) do request:wait() end
    if rank == 0 then mpi.send(torch.ones(3), 1, 1) mpi.send({ 5 }, 1, 2) end
    if rank == 1 then assert(mpi.recv(torch.Tensor(3), 0, 1):sum() == 3 and mpi.recv(0, 2)[1] == 5) end
    say('done')
    """
    assert lines(mpiexec, ranks, source, tmp_path) == ["done"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("mpi.allreduce(torch.ones(2))", "mpi.allreduce(torch.ones(3))",
         "mpi.allreduce: the ranks disagree: rank 0: allreduce sum 2 float64; rank 1: allreduce sum 3"),
        ("mpi.allreduce(torch.ones(2))", "mpi.allreduce(torch.FloatTensor(2))", "allreduce sum 2 float32"),
        ("mpi.allreduce(1)", "mpi.broadcast(1)", "rank 1: broadcast of a value from 0"),
        ("mpi.barrier()", "mpi.allreduce(1)",
         "mpi.barrier: the ranks disagree: rank 0: barrier; rank 1: allreduce"),
        ("mpi.broadcast(1, 0)", "mpi.broadcast(1, 1)", "rank 1: broadcast of a value from 1"),
        ("mpi.recv(torch.Tensor(2), 1)", "mpi.isend(torch.Tensor(3), 0)",
         "mpi.recv: expected 16 bytes from rank 1 (got 24)"),
        ("mpi.recv(torch.Tensor(2), 1)", "mpi.isend({1}, 0)",
         "mpi.recv: expected a tensor of 16 bytes from rank 1 (got a value)"),
        ("mpi.recv(1)", "mpi.isend(torch.Tensor(3), 0)",
         "mpi.recv: expected a value from rank 1 (got a tensor of 24 bytes)"),
        ("mpi.irecv(torch.Tensor(4), 1):wait()", "mpi.isend(torch.Tensor(3), 0)",
         "mpi.wait: expected 32 bytes from rank 1 (got 24)"),
        ("mpi.irecv(torch.Tensor(2), 1):wait()", "mpi.isend(torch.Tensor(3), 0)",
         "mpi.wait: Message truncated"),
    ],
)  # fmt: skip
def test_ranks_that_do_not_fit_together(
    mpiexec: Run, tmp_path: Path, first: str, second: str, message: str
) -> None:
    body = "local fine, why = pcall(function() if rank == 0 then %s else %s end end) say(why)"
    # A message of the other rank has been taken by now.
    [printed] = lines(mpiexec, 2, body % (first, second), tmp_path)
    assert message in printed


WRONG_CALLS = [
    ("mpi.send(1, 1)", "mpi.send: rank of the receiver must be a whole number from 0 to 0 (got 1)"),
    ("mpi.send(1)", "mpi.send: rank of the receiver must be a number (got nil)"),
    ("mpi.recv(5)", "mpi.recv: rank of the sender must be a whole number from -1 to 0 (got 5)"),
    ("mpi.send(1, 0, -3)", "mpi.send: tag must be a whole number"),
    ("mpi.broadcast(1, 3)", "mpi.broadcast: root must be a whole number from 0 to 0 (got 3)"),
    ("mpi.allreduce('x')", "mpi.allreduce: value must be a table (got 'x')"),
    ("mpi.allreduce({ 1 })", "mpi.allreduce: value must be a table (got 1)"),
    ("mpi.allreduce(torch.ones(1), 'avg')",
     "operation must be one of 'sum', 'mean', 'prod', 'max', 'min'"),
    ("mpi.allreduce(torch.LongTensor(1), 'mean')",
     "mpi.allreduce: tensor of a mean must be a DoubleTensor or FloatTensor (got LongTensor [1])"),
    ("mpi.allgather(torch.ones(2), torch.Tensor(3))",
     "mpi.allgather: result must be a tensor of 2 elements (got DoubleTensor [3])"),
    ("mpi.allgather(torch.ones(2), torch.FloatTensor(2))", "result must be a torch.DoubleTensor"),
    ("mpi.scatter(5)", "mpi.scatter: argument 1 must be a table (got 5)"),
    ("mpi.scatter({}, 0, torch.ones(1))", "mpi.scatter: argument 1 must be a tensor"),
    ("mpi.wait(1)", "mpi.wait: argument 1 must be a request (got 1)"),
    ("mpi.allreduceTensor(1)", "mpi.allreduceTensor: tensor must be a tensor (got 1)"),
    ("mpi.broadcastTensor(2, torch.ones(1))", "root must be a whole number from 0 to 0 (got 2)"),
    ("mpi.async.allreduceTensor(torch.LongTensor(1))", "tensor must be a DoubleTensor or FloatTensor"),
]  # fmt: skip


def test_wrong_calls(mpiexec: Run, tmp_path: Path) -> None:
    source = "".join(f"print(select(2, pcall(function() {call} end)))\n" for call, _ in WRONG_CALLS)
    for printed, (_, message) in zip(lines(mpiexec, 1, source, tmp_path), WRONG_CALLS, strict=True):
        assert message in printed and "script.lua:" in printed


@pytest.mark.parametrize("ranks", [2, pytest.param(3, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("failure", "status", "words"),
    [
        ("local function step() error 'out of data' end step()", 1, "in function 'step'"),
        ("os.exit(3)", 3, ""),
        ("x = = 1", 1, "unexpected symbol"),
    ],
)
def test_a_rank_that_fails_ends_them_all(
    mpiexec: Run, tmp_path: Path, ranks: int, failure: str, status: int, words: str
) -> None:
    if failure.startswith("x"):
        (tmp_path / "broken.lua").write_text(failure)
        failure = "dofile 'broken.lua'"
    source = f"print('before') if rank == 1 then {failure} end mpi.barrier() mpi.barrier() print('after')"
    done = mpiexec(ranks, HEAD + source, cwd=tmp_path)
    assert done.returncode == status and words in done.stderr
    assert "before" in done.stdout and "after" not in done.stdout


def test_without_mpi(mpiexec: Run, tmp_path: Path) -> None:
    """One sentence says what to type where mpi4py is missing, and where two MPIs are mixed."""
    source = "print(select(2, pcall(require, 'mpi')))"
    mixed = run_t7("-e", source, env={"OMPI_COMM_WORLD_SIZE": "4"})
    assert "mpi: 4 processes were started by an mpiexec of another MPI; use " in mixed.stdout
    (tmp_path / "mpi4py").mkdir()
    (tmp_path / "mpi4py" / "__init__.py").write_text("raise ImportError('no such library')")
    missing = run_t7("-e", source, env={"PYTHONPATH": str(tmp_path)})
    assert 'pip install mpi4py mpich installs them (no such library)' in missing.stdout
