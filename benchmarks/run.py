"""How long things take in the shell, beside NumPy called from Python: a table. Nothing here asserts a time.

    python3 benchmarks/run.py [part of a name] [--save]

`--save` writes the table to benchmarks/results/<date>.md.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import random
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from t7shell.host import blas_threads

# NumPy's threads would spin after a product, while the shell's next row is measured.
with blas_threads.loading_numpy():
    import h5py
    import numpy as np

EQUATIONS: dict[str, list[tuple[int, ...]]] = {
    "ij,jk->ik": [(10, 10), (10, 10)],
    "ij,jk,kl->il": [(100, 100), (100, 100), (100, 100)],
    "...chw,c->...hw": [(16, 3, 224, 224), (3,)],
    "bihd,bjhd->bhij": [(4, 64, 8, 32), (4, 64, 8, 32)],
    "ijkl,jk->il": [(20, 20, 20, 20), (20, 20)],
    "kb,kb->b": [(1000, 1000), (1000, 1000)],
    "bi,bi->b": [(1000, 100), (1000, 100)],
    "bi,bj->bij": [(64, 50), (64, 60)],
    "ij,ji->": [(300, 300), (300, 300)],
    "ijk->j": [(100, 100, 100)],
}

BROADCASTS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((4, 4), (4, 4)),
    ((4, 4), (4,)),
    ((64, 10), (10,)),
    ((64, 10), (64, 1)),
    ((1000, 1), (1000,)),
    ((1000, 1000), (1000,)),
    ((1000, 1000), (1000, 1)),
    ((480, 640, 3), (3,)),
    ((64, 32, 28, 28), (32, 1, 1)),
    ((100000, 2, 1), (3,)),
]

HERE = Path(__file__).parent
TITLE = f"{'group':26} {'work':28} {'t7, ns':>12} {'NumPy, ns':>12}"


def peers() -> dict[tuple[str, str], Callable[[], object]]:
    """The same work in NumPy, by group and name, without scalar loops of Python."""
    rng = np.random.default_rng(1)
    calls: dict[tuple[str, str], Callable[[], object]] = {}
    square = np.zeros((100, 100))
    calls["scalar access", "x[i]"] = lambda: square[0].item(3)
    calls["scalar access", "x[{i, j}]"] = lambda: square[4, 3]
    calls["views", "x[i]"] = lambda: square[4]
    calls["views", "x:narrow(1, 2, 3)"] = lambda: square[1:4]
    calls["views", "x:select(2, 3)"] = lambda: square[:, 2]
    calls["views", "x:t()"] = lambda: square.T
    calls["views", "x:view(50, 200)"] = lambda: square.reshape(50, 200)
    calls["views", "x[{{2, 5}, {3, 4}}]"] = lambda: square[1:5, 2:4]
    calls["construction", "torch.Tensor(4)"] = lambda: np.zeros(4)
    calls["construction", "torch.zeros(100, 100)"] = lambda: np.zeros((100, 100))
    calls["construction", "torch.Tensor{1, 2, 3, 4}"] = lambda: np.array([1.0, 2, 3, 4])
    small = rng.random((4, 4))
    calls["construction", "x:clone() of 4x4"] = lambda: small.copy()
    calls["construction", "torch.ByteTensor(32, 32)"] = lambda: np.zeros((32, 32), dtype=np.uint8)
    row = rng.random(96)
    calls["construction", "x:clone() of 96"] = lambda: row.copy()
    block = rng.random((32, 32))
    calls["construction", "x:clone() of 32x32"] = lambda: block.copy()
    nested = rng.random((100, 100)).tolist()
    calls["construction", "torch.Tensor{...} 100x100"] = lambda: np.array(nested)
    _small(calls, small, rng.random((4, 4)))
    for size in (4, 100, 1000):
        a, b, r = rng.random((size, size)), rng.random((size, size)), rng.random((size, size))
        _element_wise(calls, f"element-wise, {size}x{size}", a, b, r)
    _large(calls, a, b, r, small)
    _ordered(calls, a, block)
    _linear(calls, a, r)
    _datasets(calls, rng)
    _floats(calls, rng)
    return calls


Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def _element_wise(
    calls: dict[tuple[str, str], Callable[[], object]], group: str, a: Array, b: Array, r: Array
) -> None:
    calls[group, "r:add(a, b)"] = lambda: np.add(a, b, out=r)
    calls[group, "r:cmul(a, b)"] = lambda: np.multiply(a, b, out=r)
    calls[group, "a + b"] = lambda: a + b
    calls[group, "a * 2"] = lambda: a * 2
    calls[group, "r:exp(a)"] = lambda: np.exp(a, out=r)
    calls[group, "torch.gt(a, 0.5)"] = lambda: a > 0.5


def _small(calls: dict[tuple[str, str], Callable[[], object]], a: Array, b: Array) -> None:
    generator, symmetric = random.Random(1), a + a.T
    calls["small calls", "torch.zeros(2, 3, 4)"] = lambda: np.zeros((2, 3, 4))
    calls["small calls", "torch.linspace(0, 1, 4)"] = lambda: np.linspace(0, 1, 4)
    calls["small calls", "torch.random(1, 6)"] = lambda: generator.randint(1, 6)
    calls["small calls", "a:reshape(2, 8)"] = lambda: a.reshape(2, 8).copy()
    calls["small calls", "a:repeatTensor(2, 2)"] = lambda: np.tile(a, (2, 2))
    calls["small calls", "torch.cat(a, b, 1)"] = lambda: np.concatenate((a, b))
    calls["small calls", "a:select(2, 1):sum()"] = lambda: a[:, 0].sum()
    calls["small calls", "a:t():sum()"] = lambda: a.T.sum()
    calls["small calls", "torch.inverse(a) 4x4"] = lambda: np.linalg.inv(a)
    calls["small calls", "torch.symeig(a) 4x4"] = lambda: np.linalg.eigh(symmetric)


def _large(
    calls: dict[tuple[str, str], Callable[[], object]], a: Array, b: Array, r: Array, small: Array
) -> None:
    other = small.copy()
    medium = np.random.default_rng(2).random((300, 300))
    product = np.empty_like(medium)
    calls["copies", "r:copy(a) 4x4"] = lambda: np.copyto(other, small)
    calls["copies", "r:copy(a) 1000x1000"] = lambda: np.copyto(r, a)
    calls["copies", "r:copy(a:t()) 1000x1000"] = lambda: np.copyto(r, a.T)
    calls["copies", "a:float() 1000x1000"] = lambda: a.astype("f4")
    calls["copies", "r:fill(1) 1000x1000"] = lambda: r.fill(1)
    calls["copies", "r:t():fill(1) 1000x1000"] = lambda: r.T.fill(1)
    calls["copies", "torch.cat(a, b, 1) 1000x1000"] = lambda: np.concatenate((a, b))
    calls["copies", "a:repeatTensor(2, 1) 1000x1000"] = lambda: np.tile(a, (2, 1))
    calls["reductions", "a:sum() 4x4"] = lambda: small.sum()
    calls["reductions", "a:sum() 1000x1000"] = lambda: a.sum()
    calls["reductions", "a:sum(1) 1000x1000"] = lambda: a.sum(0)
    calls["reductions", "a:sum(2) 1000x1000"] = lambda: a.sum(1)
    calls["reductions", "a:max() 1000x1000"] = lambda: a.max()
    calls["reductions", "torch.max(a, 1) 1000x1000"] = lambda: (a.max(0), a.argmax(0))
    calls["reductions", "torch.max(a, 2) 1000x1000"] = lambda: (a.max(1), a.argmax(1))
    calls["products", "a * b 4x4"] = lambda: small @ other
    calls["products", "r:mm(a, b) 300x300"] = lambda: np.dot(medium, medium, out=product)
    few, weights, outputs = a[:32, :128].copy(), a[:512, :128].copy(), np.empty((32, 512))
    calls["products", "r:mm(x, w:t()) 32x128x512"] = lambda: np.dot(few, weights.T, out=outputs)
    digits, layer, hidden = a[:32, :784].copy(), a[:784, :300].copy(), np.empty((32, 300))
    calls["products", "r:mm(x, w) 32x784x300"] = lambda: np.dot(digits, layer, out=hidden)
    calls["products", "a:dot(b) 1000x1000"] = lambda: np.dot(a.ravel(), b.ravel())


def _ordered(calls: dict[tuple[str, str], Callable[[], object]], a: Array, block: Array) -> None:
    rng = np.random.default_rng(3)
    long, ones, some = rng.random(3_000_000), a > 0.5, block > 0.5
    rows, legacy = np.arange(0, 1000, 2), np.random.RandomState(1)
    calls["reductions", "a:std(2) 32x32"] = lambda: block.std(1, ddof=1)
    short, hundred = rng.random(20), rng.random(100)
    calls["reductions", "a:norm() 32x32"] = lambda: np.linalg.norm(block)
    calls["reductions", "a:cumsum() of 10^6"] = lambda: a.ravel().cumsum()
    calls["order", "a:sort() of 20"] = lambda: (np.sort(short), np.argsort(short))
    calls["order", "a:median() of 100"] = lambda: np.argpartition(hundred, 49)[49]
    calls["order", "a:sort(2) 32x32"] = lambda: (np.sort(block), np.argsort(block))
    calls["order", "a:sort(2) 1000x1000"] = lambda: (np.sort(a), np.argsort(a))
    calls["order", "a:sort() of 3 * 10^6"] = lambda: (np.sort(long), np.argsort(long))
    tied = rng.integers(1, 11, (32, 32)).astype(float)
    floats, normal, longs = rng.random(10**6, "f"), rng.normal(size=3_000_000), rng.integers(1, 10**9, 10**6)
    calls["order", "a:sort() of 10^6 floats"] = lambda: (np.sort(floats), np.argsort(floats))
    calls["order", "a:sort() of 3 * 10^6, normal"] = lambda: (np.sort(normal), np.argsort(normal))
    calls["order", "a:sort() of 10^6 Longs"] = lambda: (np.sort(longs), np.argsort(longs))
    few = (rng.random(10**6) * 255).astype(np.uint8)
    calls["order", "a:sort() of 10^6, many equal"] = lambda: (np.sort(few), np.argsort(few))
    calls["order", "a:sort(2) 32x32, ten values"] = lambda: (np.sort(tied), np.argsort(tied))
    labels, wide = rng.integers(1, 11, (1000, 100)).astype(float), rng.random((1000, 100))
    calls["order", "a:sort(2) 1000x100, ten values"] = lambda: (np.sort(labels), np.argsort(labels))
    calls["order", "a:median(2) 1000x100"] = lambda: np.argpartition(wide, 49)[:, 49]
    calls["order", "a:topk(3, 2) 32x32"] = lambda: np.argpartition(block, 3)[:, :3]
    calls["selection", "a:maskedSelect(k) 32x32"] = lambda: block[some]
    calls["selection", "a:maskedSelect(k) 1000x1000"] = lambda: a[ones]
    calls["selection", "a:index(1, k) 1000x1000"] = lambda: a[rows]
    calls["random", "r:uniform() 1000x1000"] = lambda: legacy.random_sample((1000, 1000))
    calls["random", "r:normal() 1000x1000"] = lambda: legacy.standard_normal((1000, 1000))
    calls["random", "torch.randperm(10000)"] = lambda: legacy.permutation(10000)


def _floats(calls: dict[tuple[str, str], Callable[[], object]], rng: np.random.Generator) -> None:
    a, b = rng.random((2, 1000, 1000), "f")
    ones, places = a > 0.5, rng.integers(0, 1000, (1000, 1000))
    few, doubles = rng.random((100, 100), "f"), np.empty((100, 100))
    calls["copies", "r:copy(f) 100x100 floats"] = lambda: np.copyto(doubles, few)
    calls["copies", "a:expand(1000, 1000):clone()"] = lambda: np.broadcast_to(a[:, :1], a.shape).copy()
    calls["reductions", "a:sum() of 10^6 floats"] = lambda: a.sum(dtype="d")
    calls["reductions", "a:t():sum() of 10^6 floats"] = lambda: a.T.sum(dtype="d")
    calls["reductions", "a:sum(1) of 10^6 floats"] = lambda: a.sum(0, dtype="d")
    calls["reductions", "a:sum(2) of 10^6 floats"] = lambda: a.sum(1, dtype="d")
    calls["reductions", "a:std() of 10^6 floats"] = lambda: a.std(dtype="d", ddof=1)
    calls["reductions", "a:norm() of 10^6 floats"] = lambda: np.linalg.norm(a)
    calls["reductions", "a:t():dist(b:t()) of 10^6 floats"] = lambda: np.linalg.norm(a.T - b.T)
    calls["selection", "torch.where(k, a, b) of 10^6"] = lambda: np.where(ones, a, b)
    calls["selection", "k:nonzero() of 10^6"] = lambda: np.argwhere(ones)
    calls["selection", "a:gather(2, k) of 10^6"] = lambda: np.take_along_axis(a, places, 1)
    calls["selection", "a:scatter(2, k, b) of 10^6"] = lambda: np.put_along_axis(a, places, b, 1)


def _linear(calls: dict[tuple[str, str], Callable[[], object]], a: Array, r: Array) -> None:
    rng = np.random.default_rng(4)
    vector, square, column = rng.random(1024), rng.random((256, 256)), rng.random(256)
    batch, other, product = rng.random((64, 32, 32)), rng.random((64, 32, 32)), np.empty((64, 32, 32))
    line, general, out = rng.random(1000), rng.random((200, 200)), np.empty(1024)
    calls["functions", "r:exp(a) 1024"] = lambda: np.exp(vector, out=out)
    calls["functions", "r:tanh(a) 1024"] = lambda: np.tanh(vector, out=out)
    calls["functions", "r:tanh(a) 1000x1000"] = lambda: np.tanh(a, out=r)
    calls["functions", "r:sigmoid(a) 1000x1000"] = lambda: 1 / (1 + np.exp(-a))
    calls["functions", "r:addcmul(0.5, a, b) 1000x1000"] = lambda: r + 0.5 * a * a
    calls["products", "torch.mv(a, b) 256x256"] = lambda: square @ column
    calls["products", "r:bmm(a, b) 64x32x32"] = lambda: np.matmul(batch, other, out=product)
    calls["products", "torch.ger(a, b) 1000x1000"] = lambda: np.outer(line, line, out=r)
    for shapes in BROADCASTS:
        name = " + ".join("x".join(map(str, shape)) for shape in shapes)
        out_of = np.empty(np.broadcast_shapes(*shapes))
        calls["broadcasting", name] = partial(np.add, *map(rng.random, shapes), out=out_of)
    for text, shapes in EQUATIONS.items():
        operands = [rng.random(shape) for shape in shapes]
        calls["products", f"einsum '{text}'"] = partial(np.einsum, text, *operands, optimize=True)
    calls["products", "torch.inverse(a) 200x200"] = lambda: np.linalg.inv(general)
    calls["products", "torch.gesv(a, b) 200x200"] = lambda: np.linalg.solve(general, general)
    calls["products", "torch.svd(a) 200x200"] = lambda: np.linalg.svd(general)
    calls["products", "torch.symeig(a, 'V') 200x200"] = lambda: np.linalg.eigh(general + general.T)


def _datasets(calls: dict[tuple[str, str], Callable[[], object]], rng: np.random.Generator) -> None:
    with tempfile.NamedTemporaryFile() as name:
        file = h5py.File(name.name, "w")
        coords = file.create_dataset("coords", data=rng.random((100_000, 32)))
    calls["datasets", "d[{{100, 200}}]"] = lambda: coords[99:200]
    calls["datasets", "d[{5, 6}]"] = lambda: coords[4, 5]
    calls["datasets", "d[{{1, -1, 10}, 3}]"] = lambda: coords[::10, 2]
    calls["datasets", "d:all()"] = lambda: coords[()]


def measure(call: Callable[[], object]) -> float:
    """Nanoseconds per call, the best of five runs."""
    timer = timeit.Timer(call)
    rounds, _ = timer.autorange(None)
    rounds = max(1, rounds // 20)
    return min(timer.repeat(5, rounds)) / rounds * 1e9


def rows(wanted: str) -> Iterator[str]:
    numpy = peers()
    command = [sys.executable, "-m", "t7shell", str(HERE / "cases.lua"), wanted, "wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in process.stdout:
            group, name, spent = line.rstrip("\n").split("\t")
            # The shell waits meanwhile: both at once would be slower on few cores.
            peer = numpy.get((group, name))
            beside = f"{measure(peer):12.0f}" if peer else ""
            yield f"{group:26} {name:28} {float(spent):12.0f} {beside}".rstrip()
            process.stdin.write("\n")
            process.stdin.flush()
    if process.returncode:
        raise SystemExit(process.returncode)


def main() -> None:
    parser = argparse.ArgumentParser(description="times the shell beside NumPy")
    parser.add_argument("wanted", nargs="?", default="", help="only rows whose group and name contain this")
    parser.add_argument("--save", action="store_true", help="write the table to benchmarks/results")
    options = parser.parse_args()
    table = [TITLE]
    print(TITLE, flush=True)
    for row in rows(options.wanted):
        table.append(row)
        print(row, flush=True)
    if options.save:
        date = datetime.date.today().isoformat()
        about = f"{platform.platform()}, Python {platform.python_version()}, NumPy {np.__version__}"
        results = HERE / "results" / f"{date}.md"
        results.parent.mkdir(exist_ok=True)
        results.write_text(f"# {date}\n\n{about}\n\n```text\n" + "\n".join(table) + "\n```\n")


if __name__ == "__main__":
    main()
