"""Details of modules that programs rely on. All expected values are what the original printed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]

HELP = """
require 'nn'
local function sizes(t) return table.concat(t:size():totable(), 'x') end
local function line(t) return table.concat(t:clone():view(-1):totable(), ' ') end
"""


def prints(lua: Lua, program: str) -> list[str]:
    return lua(f"{HELP}{program}").splitlines()


@pytest.mark.parametrize("inplace", ["false", "true"])
@pytest.mark.parametrize(("v1", "expected"), [("false", "1 1 1 1"), ("true", "0.5 0.5 0.5 0.5")])
def test_gradients_pass_in_stochastic_inference(
    fresh_lua: Lua, v1: str, inplace: str, expected: str
) -> None:
    """The original's: noise is for forward alone after evaluate(). dpnn has a Dropout of its own."""
    program = f"""
    torch.manualSeed(1)
    local m, x = nn.Dropout(.5, {v1}, {inplace}, true), torch.ones(4)
    m:evaluate()
    print(line(m:backward(x:clone(), x:clone())))
    local zeros = 0
    for i = 1, 40 do zeros = zeros + m:forward(x:clone()):eq(0):sum() end
    print(zeros > 20, line(m:backward(x:clone(), x:clone())))"""
    assert prints(fresh_lua, program) == [expected, f"true\t{expected}"]


@pytest.mark.parametrize(
    ("count", "size", "expected"),
    [
        (1, "1, 2, 3", "1x6"),
        (1, "2, 3", "2x3"),
        (1, "3", "3"),
        (2, "1, 2, 3, 4", "1x24"),
        (2, "2, 3, 4, 1, 2", "2x24"),
        (2, "2, 1, 3, 2", "2x6"),
        (2, "2, 3", "6"),
        (2, "3", "3"),
        (3, "2, 3", "6"),
        (3, "2, 3, 4, 1, 2", "2x24"),
    ],
)
def test_collapse_keeps_at_most_one_dimension(lua: Lua, count: int, size: str, expected: str) -> None:
    """The original's sizes."""
    program = f"""
    local m, x = nn.Collapse({count}), torch.rand({size})
    local y = m:forward(x)
    print(sizes(y), sizes(m:backward(x, y)) == sizes(x), line(y) == line(x))"""
    assert prints(lua, program) == [f"{expected}\ttrue\ttrue"]


def test_unsqueeze_keeps_the_dimensions_of_its_first_input(lua: Lua) -> None:
    """The original's sizes, and an error where it has one."""
    program = """
    local m = nn.Unsqueeze(1)
    print(sizes(m:forward(torch.rand(2, 3))), m.numInputDims)
    print(sizes(m:forward(torch.rand(4, 2, 3))), sizes(m:forward(torch.rand(4, 5, 2, 3))), m.numInputDims)
    print(pcall(m.forward, m, torch.rand(4)))
    m = nn.Unsqueeze(2)
    print(sizes(m:forward(torch.rand(2))), sizes(m:forward(torch.rand(4, 2, 3))))"""
    lines = prints(lua, program)
    assert lines[:2] == ["1x2x3\t2", "4x1x2x3\t4x5x1x2x3\t2"]
    assert lines[2].startswith("false\t") and "input must have at least 2 dimensions" in lines[2]
    assert lines[3] == "2x1\t4x2x3x1"


@pytest.mark.parametrize(
    ("shared", "kind", "is_shared"),
    [
        ("nil", "boolean", True),
        ("true", "boolean", True),
        ("false", "boolean", False),
        ("{'weight'}", "table", True),
        ("{}", "table", True),
        ("1", "number", True),
    ],
)
def test_map_table_shares_all_or_nothing(lua: Lua, shared: str, kind: str, is_shared: bool) -> None:
    """The original's: the argument is no list of names."""
    program = f"""
    local m = nn.MapTable(nn.Linear(2, 1), {shared})
    print(torch.type(m.shared), #m.sharedparams)
    local x, ones = {{torch.ones(2), torch.ones(2)}}, {{torch.ones(1), torch.ones(1)}}
    m:forward(x) m:zeroGradParameters() m:backward(x, ones)
    m.module.weight:fill(7) m.module.bias:fill(3)
    local first, second = m.modules[1], m.modules[2]
    print(second.weight[1][1] == 7, second.bias[1] == 3, first.gradWeight[1][1], second.gradWeight[1][1])
    m:zeroGradParameters() print(second.gradWeight[1][1])
    second.weight:fill(7) m:backward(x, ones) m:updateParameters(1)
    print(first.weight[1][1], second.weight[1][1])"""
    both, steps = ("true\ttrue\t2\t2", "5\t5") if is_shared else ("false\tfalse\t1\t1", "6\t6")
    assert prints(lua, program) == [f"{kind}\t4", both, "0", steps]


def test_files_with_names_of_shared_fields(lua: Lua) -> None:
    """Objects of earlier versions of this library kept the list of names: they share those."""
    program = """
    local m = nn.MapTable(nn.Linear(2, 1))
    m.sharedparams = { 'weight' }
    m.shared = m.sharedparams
    m = torch.deserialize(torch.serialize(m))
    m:forward{torch.ones(2), torch.ones(2)}
    m.module.weight:fill(7) m.module.bias:fill(30)
    print(m.modules[2].weight[1][1], m.modules[2].bias[1] == 30)"""
    assert prints(lua, program) == ["7\tfalse"]


@pytest.mark.parametrize(
    ("arguments", "size", "expected"),
    [
        ("-1", "2, 3", "2x3"),
        ("-1", "6", "6x1"),
        ("-1", "1, 6", "1x6"),
        ("-1, true", "2, 3, 2", "2x6"),
        ("-1, false", "2, 3", "6"),
        ("2, -1", "2, 3, 2", "2x2x3"),
        ("2, -1", "1, 6", "1x2x3"),
        ("2, -1, false", "6", "2x3"),
        ("2, -1, false", "4, 2, 3", "2x12"),
        ("-1, 3", "4, 2, 3", "4x2x3"),
        ("3, -1", "2, 3", "2x3x1"),
        ("2, -1", "2, 3", None),
        ("2, -1", "6", None),
        ("-1, 3", "6", None),
        ("-1, -1", "2, 3", None),
    ],
)
def test_reshape_finds_a_size(lua: Lua, arguments: str, size: str, expected: str | None) -> None:
    """The original's sizes, and errors where it has them."""
    program = f"""
    local m, x = nn.Reshape({arguments}), torch.rand({size})
    local ok, y = pcall(m.forward, m, x)
    print(ok)
    if ok then print(sizes(y), sizes(m:backward(x, y)) == sizes(x), line(y) == line(x)) end"""
    assert prints(lua, program) == (["false"] if expected is None else ["true", f"{expected}\ttrue\ttrue"])


@pytest.mark.parametrize("batch", [False, True])
def test_full_convolution_of_any_target(lua: Lua, batch: bool) -> None:
    """The original's numbers: outputs differ from targets outside of the range by multiples of the stride."""
    first = "1, " if batch else ""
    program = f"""
    local m = nn.SpatialFullConvolution(1, 1, 3, 3, 2, 2, 1, 1)
    m.weight:copy(torch.range(1, 9)) m.bias:fill(1)
    local x = torch.range(1, 9):view({first}1, 3, 3)
    local function step(h, w)
       local target = torch.zeros({first}1, h, w)
       local y = m:forward{{x, target}}
       m:zeroGradParameters()
       local g = m:backward({{x, target}}, y)
       print(sizes(y), y:sum(), sizes(g[1]), g[1]:sum(), sizes(g[2]), g[2]:sum(), m.gradWeight:sum())
    end
    for _, h in ipairs{{1, 4, 5, 6, 9}} do step(h, h + 1) end
    m:clearState() step(5, 6)"""
    one = "1x" if batch else ""

    def line(h: int) -> str:
        sizes, sums = ("5x6", (1349, 15372, 17788)) if h % 2 else ("6x5", (1561, 18826, 21058))
        return f"{one}1x{sizes}\t{sums[0]}\t{one}1x3x3\t{sums[1]}\t{one}1x{h}x{h + 1}\t0\t{sums[2]}"

    assert prints(lua, program) == [line(h) for h in (1, 4, 5, 6, 9, 5)]


def test_full_convolution_of_volumes_of_any_target(lua: Lua) -> None:
    """The original's numbers."""
    program = """
    local m = nn.VolumetricFullConvolution(1, 1, 2, 3, 3, 2, 2, 2, 0, 1, 1)
    m.weight:fill(1) m.bias:fill(1)
    local x = torch.range(1, 18):view(1, 2, 3, 3)
    for _, t in ipairs{1, 5, 9} do
       local target = torch.zeros(1, t, t + 1, t)
       local y = m:forward{x, target}
       print(sizes(y), y:sum(), m:backward({x, target}, y)[1]:sum())
    end"""
    assert prints(lua, program) == ["1x5x6x5\t2362\t5372"] * 3


def test_kmeans_draws_as_the_original(lua: Lua) -> None:
    """The original's centres, counts and numbers."""
    program = """
    torch.manualSeed(1)
    local m = nn.Kmeans(2, 1)
    m:initKmeansPlus(torch.range(1, 6):view(6, 1), .5)
    print(line(m.weight))
    torch.manualSeed(2)
    m = nn.Kmeans(3, 2)
    print(('%.6f'):format(m.weight:sum()), m.clusterSampleCount:nElement())
    local x = torch.range(1, 20):cmul(torch.range(1, 20)):fmod(17):view(10, 2)
    for _, p in ipairs{0, .5, .95} do m:initKmeansPlus(x, p) print(line(m.weight)) end
    m:initRandom(x) print(line(m.weight))
    m:initKmeansPlus(x, .5)
    m:forward(x) m:zeroGradParameters() m:backward(x, m.output)
    print(line(m.clusterSampleCount), m.loss, ('%.6f'):format(m.gradWeight:norm()))
    m:reset(3) print(('%.6f'):format(m.weight:sum()))"""
    assert prints(lua, program) == [
        "1 4",
        "0.151874\t3",
        "8 2 0 1 9 16",
        "9 16 0 1 4 9",
        "4 9 16 9 0 1",
        "15 13 4 9 4 1",
        "2 5 3\t252\t5.031125",
        "1.062684",
    ]


# nn.GPU(nn.Tanh(), 2, 3) as the original writes it, in ascii.
GPU_FILE = (
    "4 1 3 V 1 6 nn.GPU 3 2 2 1 1 2 18 torch.DoubleTensor 1 2 1 2 3 3 6 2 5 _type 2 18 "
    "torch.DoubleTensor 2 7 modules 3 4 1 1 1 4 5 3 V 1 7 nn.Tanh 3 6 3 2 5 _type 2 18 "
    "torch.DoubleTensor 2 9 gradInput 4 7 3 V 1 18 torch.DoubleTensor 0 1 0 2 6 output 4 8 3 V 1 18 "
    "torch.DoubleTensor 0 1 0 2 9 gradInput 4 9 3 V 1 18 torch.DoubleTensor 0 1 0 2 9 outdevice 1 3 2 "
    "6 output 4 10 3 V 1 18 torch.DoubleTensor 0 1 0 2 6 device 1 2 "
)


def test_files_of_gpu_of_the_original(lua: Lua) -> None:
    """The original's file and text; it writes the type and the device before the fields."""
    program = f"""
    local text = ('{GPU_FILE}'):gsub(' +', '\\n'):gsub('V\\n', 'V ')
    local m = torch.deserialize(text, 'ascii')
    print(m, m.device, m.outdevice, #m.modules, line(m:forward(torch.zeros(2))))
    local own = torch.serialize(m, 'ascii')
    print((own:sub(1, 66):gsub('\\n', ' ')))
    print(torch.deserialize(own, 'ascii'))
    print(nn.GPU(nn.Linear(2, 1), 3))
    print(nn.GPU(nn.Sequential():add(nn.Tanh()), 1))"""
    assert prints(lua, program) == [
        "nn.GPU(2) @ nn.Tanh\t2\t3\t1\t0 0",
        GPU_FILE[:66],
        "nn.GPU(2) @ nn.Tanh",
        "nn.GPU(3) @ nn.Linear(2 -> 1)",
        "nn.GPU(1) @ nn.Sequential {",
        "  [input -> (1) -> output]",
        "  (1): nn.Tanh",
        "}",
    ]


def test_files_of_gpu_of_earlier_versions(lua: Lua) -> None:
    """These have the fields alone."""
    program = """
    local m = nn.GPU(nn.Linear(2, 1), 2, 3)
    local write = nn.GPU.write
    nn.GPU.write = nn.Module.write
    local text = torch.serialize(m)
    nn.GPU.write = write
    local copy = torch.deserialize(text)
    print(copy, copy.outdevice, (copy:forward(torch.ones(2)) - m:forward(torch.ones(2))):norm())"""
    assert prints(lua, program) == ["nn.GPU(2) @ nn.Linear(2 -> 1)\t3\t0"]


# nn.CReLU(2) as the original writes it, in ascii.
CRELU_FILE = (
    "4 1 3 V 1 8 nn.CReLU 3 2 6 2 9 gradInput 4 3 3 V 1 18 torch.DoubleTensor 0 1 0 2 7 modules 3 4 3 "
    "1 1 4 5 3 V 1 14 nn.ConcatTable 3 6 4 2 9 gradInput 4 3 2 6 output 3 7 0 2 7 modules 3 8 2 1 1 4 "
    "9 3 V 1 11 nn.Identity 3 10 3 2 9 gradInput 4 11 3 V 1 18 torch.DoubleTensor 0 1 0 2 6 output 4 "
    "12 3 V 1 18 torch.DoubleTensor 0 1 0 2 5 _type 2 18 torch.DoubleTensor 1 2 4 13 3 V 1 14 "
    "nn.MulConstant 3 14 5 2 9 gradInput 4 15 3 V 1 18 torch.DoubleTensor 0 1 0 2 15 constant_scalar "
    "1 -1 2 5 _type 2 18 torch.DoubleTensor 2 7 inplace 5 0 2 6 output 4 16 3 V 1 18 "
    "torch.DoubleTensor 0 1 0 2 5 _type 2 18 torch.DoubleTensor 1 2 4 17 3 V 1 12 nn.JoinTable 3 18 5 "
    "2 9 gradInput 3 19 0 2 5 _type 2 18 torch.DoubleTensor 2 6 output 4 20 3 V 1 18 "
    "torch.DoubleTensor 0 1 0 2 4 size 4 21 3 V 1 17 torch.LongStorage 0 2 9 dimension 1 2 1 3 4 22 3 "
    "V 1 7 nn.ReLU 3 23 6 2 9 gradInput 4 24 3 V 1 18 torch.DoubleTensor 0 1 0 2 9 threshold 1 0 2 5 "
    "_type 2 18 torch.DoubleTensor 2 6 output 4 25 3 V 1 18 torch.DoubleTensor 0 1 0 2 3 val 1 0 2 7 "
    "inplace 5 0 2 5 _type 2 18 torch.DoubleTensor 2 6 output 4 25 2 10 nInputDims 1 2 2 7 inplace 5 "
    "0 "
)


@pytest.mark.parametrize("made", ["nn.CReLU(2)", "torch.deserialize(text, 'ascii')"])
def test_crelu_joins_rows(lua: Lua, made: str) -> None:
    """The original's sizes, of its file and of new modules."""
    program = f"""
    local text = ('{CRELU_FILE}'):gsub(' +', '\\n'):gsub('V\\n', 'V ')
    local m = {made}
    print(m, m:get(2).dimension, m:get(2).nInputDims)
    for _, input in ipairs{{torch.rand(4, 6), torch.rand(3, 4, 6), torch.rand(2, 5):t()}} do
       local x = torch.add(input, -0.5)
       local y, d = m:forward(x), x:dim() - 1
       local same = torch.cat(torch.cmax(x, 0), torch.cmax(-x, 0), d)
       local g = m:backward(x, y)
       print(sizes(y), (y - same):norm(), (g - x):norm())
    end"""
    lines = ["CReLU()\t2\tnil", "8x6\t0\t0", "3x8x6\t0\t0", "10x2\t0\t0"]
    assert prints(lua, program) == lines


def test_crelu_of_earlier_versions(lua: Lua) -> None:
    """Their files joined the input itself."""
    program = """
    local m = nn.CReLU(2)
    m:get(2).dimension, m:get(2).nInputDims = 1, 2
    local copy, x = torch.deserialize(torch.serialize(m)), torch.rand(3, 4, 6) - 0.5
    print((copy:forward(x) - nn.CReLU(2):forward(x)):norm(), copy:get(2).dimension)"""
    assert prints(lua, program) == ["0\t2"]


@pytest.mark.parametrize("name", ["SpatialSoftMax", "SpatialLogSoftMax"])
def test_spatial_softmax_of_few_dimensions(lua: Lua, name: str) -> None:
    """As in the original these are the functions for rows."""
    program = f"""
    local m, of_rows = nn.{name}(), nn.{name[7:]}()
    for _, x in ipairs{{torch.rand(3), torch.rand(2, 3)}} do
       print(sizes(m:forward(x)), (m.output - of_rows:forward(x)):norm(),
          (m:backward(x, x) - of_rows:backward(x, x)):norm())
    end"""
    assert prints(lua, program) == ["3\t0\t0", "2x3\t0\t0"]


@pytest.mark.filterwarnings("ignore:.*of more than two dimensions")
@pytest.mark.parametrize(
    ("name", "expected"), [("DotProduct", ["35 56", "1 2"]), ("CosineDistance", ["1 1", "1 1"])]
)
def test_pairs_of_more_dimensions(lua: Lua, name: str, expected: list[str]) -> None:
    """The original sums along dimension 2 and keeps as many numbers as there are samples; backward fails."""
    program = f"""
    local m, x = nn.{name}(), torch.range(1, 12):view(2, 3, 2)
    local function close(t) return line(torch.mul(t, 1e6):add(0.5):floor():div(1e6)) end
    print(close(m:forward{{x, x}}), pcall(m.backward, m, {{x, x}}, torch.ones(2)) == false)
    local y = torch.Tensor{{1, 0, 0, 1, 1, 0}}:view(2, 3, 1)
    print(close(m:forward{{y, y}}))"""
    assert prints(lua, program)[-2:] == [f"{expected[0]}\ttrue", expected[1]]


def test_split_vectors_are_numbers(lua: Lua) -> None:
    """Their gradients may be numbers, or tensors of one element."""
    source = """
    local split, x = nn.SplitTable(1), torch.Tensor{5, 7}
    print(unpack(split:forward(x)))
    print(split:backward(x, {2, torch.Tensor{3}}):eq(torch.Tensor{2, 3}):all())"""
    assert prints(lua, source) == ["5\t7", "true"]


@pytest.mark.parametrize(
    ("made", "target"),
    [
        ("DotProduct()", None),
        ("CosineDistance()", None),
        ("PairwiseDistance(2)", None),
        ("ParallelTable():add(nn.Tanh()):add(nn.Abs())", None),
        ("CosineEmbeddingCriterion()", "-1"),
        ("L1HingeEmbeddingCriterion()", "-1"),
        ("MarginRankingCriterion()", "torch.Tensor{1, -1, 1}"),
    ],
)
def test_rows_of_a_tensor_are_parts(lua: Lua, made: str, target: str | None) -> None:
    """The gradient of a tensor is a table, as that of the table of its rows; a number is no part."""
    source = f"""
    local x = torch.Tensor{{{{1, -2, 3}}, {{2, 5, -4}}}}
    local function run(input)
       local m = nn.{made}
       local target = {target or "nil"}
       local output = m:forward(input, target)
       return {{ output, m:backward(input, target or output) }}
    end
    local function text(value)
       if torch.isTensor(value) then value = value:totable() end
       if type(value) ~= 'table' then return value end
       local list = {{}}
       for i, part in ipairs(value) do list[i] = text(part) end
       return '(' .. table.concat(list, ', ') .. ')'
    end
    print(text(run(x)) == text(run{{ x[1], x[2] }}), #run(x)[2], (pcall(run, x[1])))"""
    assert prints(lua, source) == ["true\t2\tfalse"]


@pytest.mark.parametrize(
    ("axes", "size", "expected", "first"),
    [
        ("'bct', 'tbc'", "1, 2, 3, 2", "3x1x2x2", "1 2 7 8 3 4 9 10 5 6 11 12"),
        ("'bf', 'bf'", "1, 2, 2", "1x2x2", "1 2 3 4"),
        ("'bf', 'fb'", "2, 3, 1", "3x2x1", "1 4 2 5 3 6"),
        ("'bchw', 'bf'", "1, 1, 2, 1, 2", "1x4", "1 2 3 4"),
        ("'chwb', 'bf'", "2, 1, 1, 2", "2x2", "1 3 2 4"),
        ("'bf', 'b'", "2, 1, 2", "2x2", "1 2 3 4"),
    ],
)
def test_convert_leaves_further_dimensions(lua: Lua, axes: str, size: str, expected: str, first: str) -> None:
    """The original's sizes; the elements in their new order."""
    program = f"""
    local m, x = nn.Convert({axes}), torch.zeros({size})
    x:copy(torch.range(1, x:nElement()))
    local y = m:forward(x)
    print(sizes(y), line(y), (m:backward(x, y:clone()) - x):norm())"""
    assert prints(lua, program) == [f"{expected}\t{first}\t0"]


@pytest.mark.parametrize("size", ["2, 3, 2, 2", "2, 3", "2, 3, 4"])
@pytest.mark.parametrize("parameter", ["1", "1, 1", "1, 1, 1, 1"])
def test_one_parameter_for_all_elements(lua: Lua, parameter: str, size: str) -> None:
    """As in the original, of inputs of any dimensions. Its gradient of CAdd is the sum, its CMul has none."""
    program = f"""
    local x = torch.rand({size})
    local m = nn.CAdd({parameter})
    m.bias:fill(2) m.gradBias:zero()
    local right = (m:forward(x) - x - 2):abs():max() < 1e-12
    print(right, math.abs(m:backward(x, x):sum() - m.gradBias:sum()) < 1e-9)
    m = nn.CMul({parameter})
    m.weight:fill(2)
    print((m:forward(x) - x * 2):norm(), (m:updateGradInput(x, x) - x * 2):norm())"""
    assert prints(lua, program) == ["true\ttrue", "0\t0"]


@pytest.mark.parametrize("wanted", ["false", "true"])
def test_sparse_linear_of_a_tensor_of_samples(lua: Lua, wanted: str) -> None:
    """The original's numbers; without gradients of inputs its tensor has any values."""
    program = f"""
    local m = nn.SparseLinear(4, 2, {wanted})
    m.weight:copy(torch.range(1, 8)) m.bias:fill(1) m:zeroGradParameters()
    local x = torch.Tensor{{{{{{1, 2}}, {{3, 4}}}}, {{{{2, 1}}, {{4, -1}}}}, {{{{1, 1}}, {{2, 2}}}}}}
    print(line(m:forward(x)))
    local g = m:backward(x, torch.range(1, 6):view(3, 2))
    print(torch.type(g), sizes(g))
    print(line(m.gradWeight), line(m.gradBias))
    if {wanted} then print(line(g)) end"""
    rows = "1 11 2 14 3 17 4 20 1 23 2 30 3 37 4 44 1 35 2 46 3 57 4 68"
    assert prints(lua, program) == [
        "15 39 -1 -1 6 18",
        "torch.DoubleTensor\t3x" + ("4x2" if wanted == "true" else "2x2"),
        "7 13 4 -3 10 16 8 -4\t9 12",
        *([rows] if wanted == "true" else []),
    ]


def test_a_number_is_the_target_of_one_pair(lua: Lua) -> None:
    """The original's numbers: the first elements of two vectors."""
    program = """
    local c, a, b = nn.MarginRankingCriterion(), torch.Tensor{1, 2, 3}, torch.Tensor{4.5, 3, 1.5}
    print(c:forward({a, b}, 1), c:forward({a, b}, -1))
    local g = c:backward({a, b}, 1)
    print(line(g[1]), line(g[2]))"""
    assert prints(lua, program) == ["4.5\t0", "-1\t1"]


@pytest.mark.parametrize("kind", ["Long", "Byte", "Float", "Double"])
def test_padding_copies_any_type(lua: Lua, kind: str) -> None:
    """The original's numbers, such as indices on their way to a LookupTable."""
    program = f"""
    local y = nn.Padding(1, -2):forward(torch.{kind}Tensor{{3, 1, 2}})
    print(torch.type(y), line(y))"""
    assert prints(lua, program) == ["torch.DoubleTensor\t0 0 3 1 2"]


def test_signs_of_nan_are_drawn(lua: Lua) -> None:
    """The original's signs and the number that follows them: PairwiseDistance draws those of zeros alone."""
    program = """
    local n = 0 / 0
    local x = {torch.Tensor{n, 1, 2, n, 3, n}, torch.Tensor{1, n, 2, 0, 2, n}}
    torch.manualSeed(1)
    print(line(nn.L1HingeEmbeddingCriterion():backward(x, 1)[1]), torch.random())
    local m = nn.PairwiseDistance(1)
    x = {x[1]:view(2, 3), x[2]:view(2, 3)}
    torch.manualSeed(1)
    m:forward(x)
    print(line(m:backward(x, torch.ones(2))[1]), torch.random())"""
    assert prints(lua, program) == ["1 1 -1 -1 1 1\t550290313", "-1 -1 1 -1 1 -1\t4282876139"]


def test_ranking_of_matrices_averages_over_rows(lua: Lua) -> None:
    """The original's numbers."""
    program = """
    local a, b = torch.Tensor{{1, 2, 3}, {0, 4, 1}}, torch.Tensor{{1.5, 1, 3}, {0, 7, 2}}
    local c, y = nn.MarginRankingCriterion(1), torch.Tensor{{1, 1, -1}, {1, -1, 1}}
    print(c:forward({a, b}, y))
    local g = c:backward({a, b}, y)
    print(line(g[1]))
    print(line(g[2]:add(1)))"""
    assert prints(lua, program) == ["2.75", "-0.5 -0.5 0.5 -0.5 0 -0.5", "1.5 1.5 0.5 1.5 1 1.5"]


def test_files_of_weight_norm_have_the_lengths(lua: Lua) -> None:
    """The original's numbers, by which it computes gradients after evaluate()."""
    program = """
    torch.manualSeed(1)
    local m = nn.WeightNorm(nn.Linear(3, 2))
    m:evaluate()
    m = torch.deserialize(torch.serialize(m))
    print(sizes(m._norm), sizes(m._scale), ('%.10f %.10f'):format(m._norm[1][1], m._scale[2]))"""
    assert prints(lua, program) == ["2x1\t2\t0.9112106576 0.9999416548"]


@pytest.mark.parametrize(
    ("dimension", "weights", "gradients", "permuted"),
    [
        (
            3,
            "0.9255 0.2100 0.2801 0.6121",
            "0.2224 -0.0439 -0.3103 -0.1909",
            "1 2 7 8 13 14 19 20 3 4 9 10 15 16 21 22 5 6 11 12 17 18 23 24",
        ),
        (
            4,
            "0.4602 0.1569 0.4909 0.1961",
            "-0.2204 0.3051 0.2030 0.1009",
            "1 3 5 7 9 11 13 15 17 19 21 23 2 4 6 8 10 12 14 16 18 20 22 24",
        ),
    ],
)
def test_weight_norm_keeps_the_order_of_other_dimensions(
    lua: Lua, dimension: int, weights: str, gradients: str, permuted: str
) -> None:
    """The original's numbers: files hold the directions v in that order."""
    program = f"""
    local m = nn.WeightNorm(nn.SpatialConvolution(2, 2, 2, 3), {dimension})
    m.v:copy(torch.range(1, 24)) m.g:copy(torch.range(1, m.g:nElement())) m.bias:zero()
    local function some(t) print(('%.4f %.4f %.4f %.4f'):format(unpack(t:view(-1):totable(), 6, 9))) end
    m:forward(torch.ones(2, 4, 3))
    some(m.modules[1].weight)
    m:zeroGradParameters()
    m:backward(torch.ones(2, 4, 3), torch.range(1, 8):view(2, 2, 2))
    some(m.gradV)
    local t = m:permuteIn(torch.range(1, 24):view(2, 2, 3, 2))
    print(line(t))
    print(line(m:permuteOut(t)) == line(torch.range(1, 24)))"""
    assert prints(lua, program) == [weights, gradients, permuted, "true"]


@pytest.mark.parametrize(
    ("arguments", "size", "indices"),
    [
        ("2, 3", "1, 4, 5", "2 1 1 2 2 2 1 3 1 2 2 2"),
        ("3, 2", "2, 1, 4, 5", "2 2 1 2 2 2 2 2 2 2 2 2 1 2 2 2 1 1 2 2 2 1 3 1"),
        ("1, 1", "1, 3, 4", "2 2"),
    ],
)
def test_rows_and_columns_of_adaptive_maxima(lua: Lua, arguments: str, size: str, indices: str) -> None:
    """The original's indices: rows, then columns, both in the window of the output."""
    program = f"""
    local m, x, i = nn.SpatialAdaptiveMaxPooling({arguments}), torch.zeros({size}), 0
    x:apply(function() i = i + 1 return (i * i * 7) % 11 + i * .01 end)
    local y = m:forward(x)
    print(sizes(m.indices), line(m.indices), m.indices:type())
    local kept, g = m.indices, m:backward(x, torch.ones(y:size()))
    print(g:sum() == y:nElement(), torch.cmul(g, x):sum() == y:sum())
    m:forward(x)
    print(rawequal(kept, m.indices))
    m.indices:fill(100)
    print(pcall(m.backward, m, x, y) == false)"""
    width, height = arguments.split(", ")
    outputs = "x".join([*size.split(", ")[:-2], height, width])
    assert prints(lua, program) == [f"2x{outputs}\t{indices}\ttorch.LongTensor", "true\ttrue", "true", "true"]


def test_distance_ratios_are_not_in_fields(lua: Lua) -> None:
    """The original's numbers: output and gradInput stay as they were made."""
    program = """
    local c, x = nn.DistanceRatioCriterion(), {torch.range(1, 3), torch.range(3, 1, -1):mul(.5)}
    print(('%.6f'):format(c:forward(x)), c.output)
    local g = c:backward(x)
    print(c.gradInput:dim(), ('%.6f %.6f'):format(g[1]:sum(), g[2]:sum()), g[1] == c.dX, g[2] == c.dY)
    c:float()
    x = {x[1]:float(), x[2]:float()}
    print(c:forward(x) > 0, c:backward(x)[1]:type(), torch.type(c.gradInput))
    c.sizeAverage = false
    print(('%.4f'):format(c:forward(x)))"""
    assert prints(lua, program) == [
        "1.455409\t0",
        "0\t0.677580 -0.677580\ttrue\ttrue",
        "true\ttorch.FloatTensor\ttorch.FloatTensor",
        "4.3662",
    ]


def test_texts_of_modules(lua: Lua) -> None:
    """What the original prints."""
    program = """
    print(nn.VolumetricConvolution(1, 2, 3, 3, 3):noBias())
    print(nn.VolumetricFullConvolution(1, 2, 3, 3, 3):noBias())
    print(nn.VolumetricDilatedConvolution(1, 2, 3, 3, 3):noBias())
    print(nn.SpatialFullConvolution(1, 2, 3, 3):noBias())
    local m = nn.LinearWeightNorm(3, 2)
    local y = m:forward(torch.ones(3)):clone()
    m:clearState()
    m = torch.deserialize(torch.serialize(m))
    print(m, (m:forward(torch.ones(3)) - y):norm())
    print(nn.LinearWeightNorm(3, 2, false))"""
    assert prints(lua, program) == [
        "nn.VolumetricConvolution(1 -> 2, 3x3x3)",
        "nn.VolumetricFullConvolution(1 -> 2, 3x3x3)",
        "nn.VolumetricDilatedConvolution(1 -> 2, 3x3x3, 1,1,1) without bias",
        "nn.SpatialFullConvolution(1 -> 2, 3x3) without bias",
        "nn.LinearWeightNorm(3 -> 2)\t0",
        "nn.LinearWeightNorm(3 -> 2) without bias",
    ]


@pytest.mark.parametrize("make", ["nn.Sequential()", "nn.Concat(1)", "nn.ConcatTable()"])
@pytest.mark.parametrize("between", ["n", "nn.Sequential():add(n)", "nn.GPU(n, 1)", "nn.Bottle(n)"])
def test_a_container_in_itself(lua: Lua, make: str, between: str) -> None:
    """An error at once, as in the original, where it is one of the stack."""
    program = f"""
    local n, x = {make}, torch.ones(2, 2)
    n:add({between})
    local started = os.clock()
    local function fails(f, ...)
       local ok, why = pcall(f, ...)
       print(ok, #why < 200, why:match('stack overflow: %a+ %a+'))
    end
    fails(n.forward, n, x)
    fails(n.backward, n, x, x)
    fails(tostring, n)
    fails(print, n)
    print(rawequal(n:type('torch.FloatTensor'), n), n:type())
    print(os.clock() - started < 10)"""
    lines = prints(lua, program)
    assert lines[0] == "false\ttrue\tstack overflow: it contains"
    assert lines[1].startswith("false\ttrue\t")
    assert lines[2:4] == ["false\ttrue\tstack overflow: it contains"] * 2
    assert lines[4:] == ["true\ttorch.FloatTensor", "true"]


@pytest.mark.parametrize("depth", [300, 5000])
def test_deeply_nested_containers(lua: Lua, depth: int) -> None:
    """Forward and errors take a short time, or are errors of the stack."""
    program = f"""
    local function nest(n) for i = 1, {depth} do n = nn.Sequential():add(n) end return n end
    local started = os.clock()
    local ok, y = pcall(function()
       local n, x = nest(nn.Tanh()), torch.zeros(2)
       return n:forward(x):sum() + n:backward(x, x):sum()
    end)
    print(ok, ok and y or y:match('stack overflow: it contains'))
    local ok, why = pcall(function() return nest(nn.Linear(3, 2)):forward(torch.ones(2)) end)
    print(ok, why:match('size mismatch') or why:match('stack overflow: it contains'))
    print(os.clock() - started < 10)"""
    shown = (
        ["true\t0", "false\tsize mismatch"] if depth < 1000 else ["false\tstack overflow: it contains"] * 2
    )
    assert prints(lua, program) == [*shown, "true"]


def test_a_stack_overflow_in_a_module(lua: Lua) -> None:
    """The path to the module is in the message."""
    program = """
    local m = nn.Identity()
    local function f(x) return 1 + f(x) end
    m.updateOutput = f
    print((select(2, pcall(function() return nn.Sequential():add(m):forward(1) end))))"""
    lines = prints(lua, program)
    assert lines[0] == "In 1 module of nn.Sequential:"
    assert lines[1].endswith("Sequential[1] > Identity: stack overflow")


@pytest.mark.parametrize(
    ("name", "ints", "bytes_"),
    [
        ("CAddTable", "9 103 203 | 3 5 9 | 3 5 9", "9 103 203 | 3 5 9 | 3 5 9"),
        ("CMulTable", "14 300 600 | 6 15 27 | 21 500 1800", "14 44 88 | 6 15 27 | 21 244 8"),
        ("CSubTable", "5 97 197 | 3 5 9 | -3 -5 -9", "5 97 197 | 3 5 9 | 253 251 247"),
        ("CDivTable", "3 33 66 | 1 1 3 | 0 0 -200", "3 33 66 | 1 1 3 | 121 52 56"),
    ],
)
def test_tables_of_whole_numbers(lua: Lua, name: str, ints: str, bytes_: str) -> None:
    program = f"""
    for _, kind in ipairs{{'torch.IntTensor', 'torch.ByteTensor'}} do
       local m = nn.{name}():type(kind)
       local a, b = torch.Tensor{{7, 100, 200}}:type(kind), torch.Tensor{{2, 3, 3}}:type(kind)
       local y, g = m:forward{{a, b}}, m:backward({{a, b}}, torch.Tensor{{3, 5, 9}}:type(kind))
       print(line(y) .. ' | ' .. line(g[1]) .. ' | ' .. line(g[2]))
    end"""
    assert prints(lua, program) == [ints, bytes_]


@pytest.mark.parametrize(
    ("arguments", "size", "expected"),
    [
        ("", "1, 1, 3", "3"),
        ("nil, 2", "1, 3, 3", "1x3x3"),
        ("nil, 2", "1, 1, 3", "1x3"),
        ("nil, 2", "3, 1, 3", "3x3"),
        ("nil, 2", "2, 1, 1, 3", "2x3"),
        ("1, 2", "1, 1, 3", "1x3"),
    ],
)
def test_squeeze_keeps_the_dimension_of_a_batch_of_one(
    lua: Lua, arguments: str, size: str, expected: str
) -> None:
    program = f"""
    local m, x = nn.Squeeze({arguments}), torch.ones({size})
    print(sizes(m:forward(x)), m:backward(x, m.output):isSameSizeAs(x))"""
    assert prints(lua, program) == [f"{expected}\ttrue"]


@pytest.mark.parametrize(
    ("x", "shown"),
    [("{0.5, 1.5}", "1.5"), ("{-0.25, 0.5}", "-0.25"), ("{0.5, 0/0}", "nan"), ("{0.5, 1/0}", "inf")],
)
@pytest.mark.parametrize("kind", ["float", "double"])
@pytest.mark.parametrize("weights", ["", "torch.Tensor{2, 3}"])
def test_cross_entropy_of_what_is_no_probability(
    lua: Lua, x: str, shown: str, kind: str, weights: str
) -> None:
    """An error as in the original, which checks each element."""
    program = f"""
    local c = nn.BCECriterion({weights}):{kind}()
    local target = torch.Tensor{{1, 0}}:{kind}()
    print(select(2, pcall(c.forward, c, torch.Tensor{x}:{kind}(), target)))
    print(c:forward(torch.Tensor{{0, 1}}:{kind}(), target) > 20, c:forward(target, target) < 1e-6)
    print(c:forward(torch.Tensor{{0.5, 0.5}}:{kind}(), torch.Tensor{{1, 0/0}}:{kind}()))"""
    lines = prints(lua, program)
    assert lines[0].endswith(f"BCECriterion: input must be from 0 to 1 (got {shown})")
    assert lines[1:] == ["true\ttrue", "nan"]


@pytest.mark.parametrize(
    ("arguments", "fields"),
    [
        ("true", "0.01\tfalse"),
        ("false", "0.01\tfalse"),
        ("true, true", "0.01\ttrue"),
        ("0.5, true", "0.5\ttrue"),
        ("-0.5, true", "-0.5\tfalse"),
        ("-0.5", "-0.5\tfalse"),
    ],
)
def test_leaky_relu_in_place(lua: Lua, arguments: str, fields: str) -> None:
    """The original's: a boolean in front is not read, and negative slopes are not applied in place."""
    program = f"""
    local m, x = nn.LeakyReLU({arguments}), torch.Tensor{{-2, 4}}
    print(m.negval, m.inplace)
    print(line(m:forward(x)) == ('%g 4'):format(-2 * m.negval), (x[1] ~= -2) == m.inplace)"""
    assert prints(lua, program) == [fields, "true\ttrue"]


def test_differences_and_quotients_read_two_tensors(lua: Lua) -> None:
    """The original's: what follows in the table is passed over and has no gradient."""
    program = """
    local function run(m, x)
       local y = line(m:forward(x))
       print(y, #m:backward(x, x[1]), line(m.gradInput[1]), line(m.gradInput[2]))
    end
    local x = { torch.Tensor{6, 9}, torch.Tensor{2, 3}, torch.Tensor{1, 1, 1} }
    run(nn.CSubTable(), x)
    run(nn.CDivTable(), x)
    for i = 1, 3 do x[i] = x[i]:int() end
    run(nn.CSubTable():type('torch.IntTensor'), x)
    print(select(2, pcall(nn.CSubTable().forward, nn.CSubTable(), { x[1]:double() })))"""
    lines = prints(lua, program)
    assert lines[:3] == ["4 6\t2\t6 9\t-6 -9", "3 3\t2\t3 3\t-9 -9", "4 6\t2\t6 9\t-6 -9"]
    assert "input must be a table of 2 tensors" in lines[3]


def test_print_size_of_tables(lua: Lua) -> None:
    """The original's text."""
    program = """
    local m = nn.PrintSize('here')
    m:forward{ torch.ones(2), { torch.ones(2, 3) } }
    m:backward(nil, nil)"""
    assert prints(lua, program) == [
        "here:input",
        "\t{",
        "  1 : DoubleTensor - size: 2",
        "  2 : ",
        "    {",
        "      1 : DoubleTensor - size: 2x3",
        "    }",
        "}",
        "here:gradOutput",
        "\tmissing size",
    ]
