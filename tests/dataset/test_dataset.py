"""dataset: batches of samples of tensors, folders and lists of files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from t7shell import Runtime
from tests.conftest import Run
from tests.runtimes import array, assert_error


@pytest.fixture
def lua(tmp_path: Path) -> Runtime:
    runtime = Runtime()
    runtime.globals()["folder"] = str(tmp_path)
    runtime.execute("""
        Dataset = require 'dataset'
        torch.manualSeed(1)
        x = torch.range(1, 28):view(7, 2, 2)
        y = torch.LongTensor{5, 3, 3, 9, 3, 5, 5}
        data = Dataset{x = x, y = y}
        function pass(getBatch, count)
           local items, targets, sizes = {}, {}, {}
           for i = 1, count do
              local batch = getBatch()
              items[i], sizes[i], targets[i] = batch.input:clone(), batch.batchSize, batch.target:long()
           end
           return torch.cat(items, 1), torch.cat(targets, 1), torch.Tensor(sizes)
        end
    """)
    return runtime


def test_linear_passes_over_tensors(lua: Runtime) -> None:
    lua.execute(
        "getBatch, count = data.sampledBatcher{batchSize = 3, samplerKind = 'linear'}"
        " input, target, sizes = pass(getBatch, 6)"
    )
    assert lua.eval("count()") == 3
    wanted = np.arange(1, 29).reshape(7, 2, 2)
    assert (array(lua, "input") == np.concatenate([wanted, wanted])).all()
    # Labels are numbered in their order: 3, 5, 9.
    assert array(lua, "target").tolist() == [2, 1, 1, 3, 1, 2, 2] * 2
    assert array(lua, "sizes").tolist() == [3, 3, 1, 3, 3, 1]
    lua.execute("batch = getBatch()")
    assert lua.eval("batch.target:type()") == lua.eval("batch.input:type()") == "torch.FloatTensor"


def test_a_pass_that_ends_with_a_batch(lua: Runtime) -> None:
    options = "inputDims = {4}, samplerKind = 'linear'"
    lua.execute(f"getBatch, count, reset = data:sampledBatcher{{batchSize = 7, {options}}}")
    assert array(lua, "getBatch().input").shape == (7, 4) and array(lua, "getBatch().input").shape == (7, 4)
    lua.execute("getBatch, count, reset = data.sampledBatcher{batchSize = 2, samplerKind = 'linear'}")
    lua.execute("getBatch() reset()")
    assert array(lua, "getBatch().input")[0, 0, 0] == 1


def test_permutations_have_each_sample_once(lua: Runtime) -> None:
    lua.execute("getBatch = data.sampledBatcher{batchSize = 2, samplerKind = 'permutation'}")
    lua.execute("input, target = pass(getBatch, 8)")
    first = array(lua, "input")[:, 0, 0]
    labels = dict(zip(range(1, 29, 4), [2, 1, 1, 3, 1, 2, 2], strict=True))
    for half in (first[:7], first[7:]):
        assert sorted(half) == list(range(1, 29, 4))
    assert first[:7].tolist() != first[7:].tolist()
    assert array(lua, "target").tolist() == [labels[int(value)] for value in first]
    for name in ("one", "two"):
        lua.execute("torch.manualSeed(1)")
        lua.execute("getBatch = data.sampledBatcher{batchSize = 1, samplerKind = 'permutation'}")
        lua.execute(f"{name} = pass(getBatch, 7)")
    assert lua.eval("one:equal(two)")


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        ("samplerKind = 'uniform'", {1: 3 / 7, 2: 3 / 7, 3: 1 / 7}),
        ("samplerKind = 'label-uniform'", {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}),
        (
            "samplerKind = 'label-distribution', samplerOptions = {[3] = 1, [5] = 0, [9] = 3}",
            {1: 1 / 4, 3: 3 / 4},
        ),
        (
            "samplerKind = 'label-distribution', samplerOptions = {[9] = 6, autoFill = true}",
            {1: 1 / 8, 2: 1 / 8, 3: 3 / 4},
        ),
        ("samplerKind = 'label-permutation'", {1: 1 / 3, 2: 1 / 3, 3: 1 / 3}),
    ],
)
def test_samples_by_chance(lua: Runtime, options: str, shares: dict[int, float]) -> None:
    lua.execute(f"input, target = pass(data.sampledBatcher{{batchSize = 100, {options}}}, 40)")
    counts = Counter(array(lua, "target").tolist())
    assert set(counts) == set(shares)
    for label, share in shares.items():
        assert abs(counts[label] / 4000 - share) < 0.04
    # Samples have the labels that they came with, and all samples of a label are drawn.
    own = {(1, 2), (5, 1), (9, 1), (13, 3), (17, 1), (21, 2), (25, 2)}
    drawn = set(
        zip(array(lua, "input")[:, 0, 0].astype(int).tolist(), array(lua, "target").tolist(), strict=True)
    )
    assert drawn == {pair for pair in own if pair[1] in shares}


def test_processors_fill_and_refuse(lua: Runtime) -> None:
    """A batch has what is kept of its samples, moved together, and `index` says which these were."""
    lua.execute("""
        local function even(x, options, input)
           input:copy(x):mul(options.by)
           return x[1][1] % 8 == 1, 'extra'
        end
        getBatch = data.sampledBatcher{batchSize = 3, samplerKind = 'linear', processor = even,
           processorOpt = {by = 10}}
        batch = getBatch()
        item, index = batch.item[2], batch.index:clone()
        input, target, sizes = pass(getBatch, 2)
    """)
    assert array(lua, "index").tolist() == [1, 3]
    assert lua.eval("item.url[1][1] == 9 and item.label == 3 and item.index == 3 and item.extra == 'extra'")
    assert array(lua, "input")[:, 0, 0].tolist() == [170, 250]
    assert array(lua, "sizes").tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore")
def test_batches_of_which_nothing_is_kept(t7: Run) -> None:
    program = """
    local batcher = require 'dataset'(torch.ones(3, 2)).sampledBatcher
    local batch = batcher{batchSize = 2, processor = function() end}()
    print(batch.batchSize, batch.input:dim(), batch.target:dim())"""
    result = t7("-e", program)
    assert result.stdout == "0\t0\t0\n"
    assert "processor kept no sample of a batch" in result.stderr


def test_samplers_end_until_they_are_restarted(lua: Runtime) -> None:
    for kind in ("linear", "permutation"):
        lua.execute(f"""
            sample, reset = data.sampler('{kind}')
            count = 0
            while sample() do count = count + 1 end
            over = sample() == nil and sample() == nil
            reset()
            again = sample() ~= nil
            of_label, reset = require('dataset').Sampler('{kind}', data.index, 5)
            first, second, third, last = (of_label()), (of_label()), (of_label()), (of_label())
            own = first[1][1] + second[1][1] + third[1][1]
        """)
        assert lua.eval("count") == 7 and lua.eval("over and again and last == nil")
        assert lua.eval("own") == 1 + 21 + 25


def test_draws_of_the_original(lua: Runtime) -> None:
    """The values were printed by the original, whose batches are drawn ahead."""
    lua.execute("""
        torch.manualSeed(7)
        local y = torch.Tensor{5, 3, 3, 9, 3, 5, 5, 9}
        local source = {x = torch.range(1, 24):view(8, 3), y = y}
        local getBatch = Dataset(source).sampledBatcher{batchSize = 3, samplerKind = 'permutation'}
        found = {}
        for i = 1, 4 do
           for _, x in ipairs(getBatch().input:select(2, 1):totable()) do table.insert(found, x) end
           table.insert(found, -torch.random(1000))
        end
        found = table.concat(found, ' ')
    """)
    assert lua.eval("found") == "22 1 10 -280 13 4 16 -989 7 19 -667 4 13 10 -473"


def test_batches_from_several_sources(lua: Runtime) -> None:
    lua.execute("""
        local function add(a, b, _, input) input:copy(a + b) return true end
        local sources = Dataset({{x = x, y = y}, {x = x * 100, y = y}})
        batch = sources.sampledBatcher{batchSize = 2, samplerKind = {'linear', 'linear'}, processor = add}()
        count = #sources.index
    """)
    assert lua.eval("count") == 2 and array(lua, "batch.input")[:, 0, 0].tolist() == [101, 505]


def test_distributions_of_labels_from_1_on(lua: Runtime) -> None:
    """They are lists, as those of several sources are."""
    lua.execute("""
        local source = {x = torch.range(1, 4), y = torch.Tensor{1, 2, 1, 2}}
        local options = {samplerKind = 'label-distribution', samplerOptions = {0, 3}}
        one = Dataset(source).sampledBatcher(options)().input
        options.samplerOptions = {{0, 3}, {1, 0}}
        function options.processor(a, b, _, input) input:fill(10 * a + b) return true end
        two = Dataset({source, source}).sampledBatcher(options)().input
    """)
    assert set(array(lua, "one").tolist()) == {2, 4}
    assert set(array(lua, "two").tolist()) == {21, 23, 41, 43}


def test_partitions_share_the_samples(lua: Runtime) -> None:
    lua.execute("""
        parts = {}
        for i = 1, 3 do
           local part = Dataset({x = x, y = y}, {partition = i, partitions = 3})
           assert(part.index.itemCount() == (i == 1 and 3 or 2) and #part.index.labels == 3)
           parts[i] = pass(part.sampledBatcher{batchSize = 3, samplerKind = 'linear'}, 1)
        end
        all = torch.cat(parts, 1)
    """)
    assert sorted(array(lua, "all")[:, 0, 0]) == list(range(1, 29, 4))


def test_gpu_types_and_files_of_tensors(lua: Runtime) -> None:
    lua.execute("""
        path = folder .. '/train.t7'
        torch.save(path, {x = x:float(), y = y})
        options = {batchSize = 2, cuda = true, poolSize = 4, samplerKind = 'linear'}
        batch = Dataset(path).sampledBatcher(options)()
    """)
    assert lua.eval("batch.input:type()") == lua.eval("batch.target:type()") == "torch.CudaTensor"
    assert lua.eval("batch.target:sum()") == 3
    # A tensor alone, or elements of a vector, have no labels.
    lua.execute("batch = Dataset(torch.range(1, 3)).sampledBatcher{batchSize = 2, samplerKind = 'linear'}()")
    assert array(lua, "batch.input").tolist() == [1, 2] and array(lua, "batch.target").tolist() == [0, 0]


def pictures(folder: Path) -> dict[str, Any]:
    """Folders of pictures, a label each."""
    made = {}
    for at, name in enumerate(["cat/a.png", "cat/b.png", "dog/c.png", "dog/.hidden"]):
        path = folder / "pictures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = np.full((2, 3, 3), 50 * at, np.uint8)
        Image.fromarray(pixels).save(path, "PNG")
        made[name] = pixels
    return made


DECODE = """
    local function decode(bytes, options, input)
       local image = require 'image'
       input:copy(image.decompressPNG(torch.ByteTensor(torch.ByteStorage():string(bytes)), 3, 'byte'))
       return true
    end
    options = {batchSize = 2, inputDims = {3, 2, 3}, samplerKind = 'linear', processor = decode}
    getBatch, count = Dataset(source).sampledBatcher(options)
    input, target = pass(getBatch, count())
"""


def test_folders(lua: Runtime, tmp_path: Path) -> None:
    pictures(tmp_path)
    lua.execute("source = folder .. '/pictures'" + DECODE)
    assert array(lua, "input")[:, 0, 0, 0].tolist() == [0, 50, 100]
    assert array(lua, "target").tolist() == [1, 1, 2]
    assert list(lua.eval("Dataset(source).index.labels").values()) == ["cat", "dog"]
    assert lua.eval("Dataset(source).index.itemCountForLabel('cat')") == 2
    assert lua.eval("(Dataset(source).index.itemAt(1, 'dog'))") == str(tmp_path / "pictures/dog/c.png")
    # Without folders inside there are no labels.
    lua.execute("source = folder .. '/pictures/cat'" + DECODE)
    assert array(lua, "input").shape == (2, 3, 2, 3) and array(lua, "target").tolist() == [0, 0]


@pytest.mark.parametrize("head", ["label,filename,size\n", ""])
def test_lists_of_files(lua: Runtime, tmp_path: Path, head: str) -> None:
    pictures(tmp_path)
    rows = [("dog/c.png", "10"), ("cat/a.png", "9"), ("cat/b.png", "10")]
    order = (1, 0) if head else (0, 1)
    lines = [",".join(row[i] for i in order) + (",7" if head else "") for row in rows]
    (tmp_path / "pictures" / "index.csv").write_text(head + "\n".join(lines) + "\n")
    for source in ("/pictures/index.csv", "/pictures"):
        lua.execute(f"source = folder .. '{source}'" + DECODE)
        # Files come label by label, and labels are words: 10 comes before 9.
        assert array(lua, "input")[:, 0, 0, 0].tolist() == [50, 100, 0]
        assert array(lua, "target").tolist() == [1, 1, 2]


def test_several_labels(lua: Runtime, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("filename,label1,label2\na,red,big\nb,blue,\nc,red,\n")
    lua.execute("index = Dataset(folder .. '/a.csv').index")
    assert list(lua.eval("index.labels").values()) == ["big", "blue", "red"]
    assert lua.eval("index.itemCountForLabel('red')") == 2 and lua.eval("index.itemCountForLabel('big')") == 1
    # A file with several labels is there for each of them.
    assert lua.eval("index.itemCount()") == 4 and lua.eval("select(2, index.itemAt(1))") == "big"


def test_parts_of_files(lua: Runtime, tmp_path: Path) -> None:
    (tmp_path / "bytes").write_text("abcdefgh")
    (tmp_path / "parts.csv").write_text("filename,offset,length,label\nbytes,3,2,b\nbytes,1,1,a\n")
    lua.execute("""
        local function note(bytes, _, input) seen = (seen or '') .. bytes .. ' ' input:fill(0) return true end
        local source = folder .. '/parts.csv'
        options = {batchSize = 2, inputDims = {1}, samplerKind = 'linear', processor = note}
        batch = Dataset(source).sampledBatcher(options)()
    """)
    assert lua.eval("seen") == "b de " and lua.eval("batch.item[2].offset") == 3
    (tmp_path / "parts.csv").write_text("filename,offset,length,label\nbytes,-1,2,b\n")
    assert_error(
        lua, "Dataset(folder .. '/parts.csv').sampledBatcher(options)()", "offset must be at least 0 (got -1"
    )


def test_a_line_about_the_data(t7: Run) -> None:
    done = t7(
        "-e", "require 'dataset'{x = {1, 2, 3}, y = {7, 8, 7}}:sampledBatcher{inputDims = {}, verbose = true}"
    )
    assert (done.stdout, done.stderr) == ("3 samples, 2 labels, 1 batches\n", "")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "Dataset('http://host/a.csv')",
            "dataset: http://host/a.csv is on another machine; download it",
        ),
        ("Dataset('/no/such/folder')", "dataset: there is no file or folder /no/such/folder"),
        ("Dataset(3)", "dataset: source must be a string (got 3)"),
        ("Dataset{}", "dataset: source.x must be a tensor of items or a list of paths (got nil)"),
        ("Dataset(torch.Tensor())", "dataset: source.x must be a tensor of items"),
        ("Dataset{x = {}}", "dataset: no samples in table {}"),
        ("Dataset{x = x, y = {1}}", "dataset: source.y must have a label for each of 7 items (got 1)"),
        ("Dataset{x = {'a'}, y = {0/0}}", "dataset: label 1 must be a number or text (got nan)"),
        (
            "Dataset(x, {partition = 3, partitions = 2})",
            "partition must be an index from 1 to 2 (got 3)",
        ),
        ("data.sampledBatcher{samplerKind = 'other'}", "Sampler: samplerKind must be"),
        (
            "data.sampledBatcher{batchSize = 0}",
            "batchSize must be a whole number of at least 1",
        ),
        ("data.sampledBatcher{inputDims = {3}}()", "copy"),
        (
            "Dataset(x, {shuffle = true, perm = {7, 8}})",
            "dataset: perm[2]",
        ),
        ("Dataset(x, {shuffle = true, perm = 'x'})", "dataset: perm must be a table (got 'x')"),
        ("data.sampledBatcher{inputTensorType = 3}", "sampledBatcher: inputTensorType must be"),
        ("data.sampledBatcher{getBatchDims = 3}", "sampledBatcher: getBatchDims must be"),
        (
            "data.sampledBatcher{getBatchDims = function() return {2, 0} end}()",
            "sampledBatcher: the result of getBatchDims[2] must be a whole number of at least 1 (got 0)",
        ),
        (
            "data.sampledBatcher{samplerKind = 'label-distribution'}",
            "the distribution must be a table (got nil)",
        ),
        (
            "data.sampledBatcher{samplerKind = 'label-distribution', samplerOptions = {[4] = 1}}",
            "Sampler: there is no label 4",
        ),
        (
            "data.sampler('label-distribution', {[3] = -1, autoFill = true})",
            "Sampler: weights must be at least 0, with a positive sum",
        ),
        ("Dataset(x).sampledBatcher{samplerKind = 'label-uniform'}", "Sampler: the items have no labels"),
        ("Dataset{x = {'a'}}.sampledBatcher{}", "sampledBatcher: inputDims must be a table (got nil)"),
        ("Dataset{x = {'/no/a'}}.sampledBatcher{inputDims = {2}}()", "sampledBatcher: /no/a: No such file"),
        ("Dataset{x = {'ftp://h/a'}}.sampledBatcher{inputDims = {2}}()", "ftp://h/a is on another machine"),
        ("data.index.itemAt(8)", "itemAt: argument 1 must be an index from 1 to 7 (got 8)"),
        ("data.index.itemAt(1, 'none')", "dataset: there is no label 'none'"),
    ],
)
def test_wrong_input(lua: Runtime, call: str, message: str) -> None:
    assert_error(lua, call, message)
