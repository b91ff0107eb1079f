"""Programs that rely on what the original's modules did: its results, or computations by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Run

Lua = Callable[[str], str]

SIZES = "local function sizes(t) return table.concat(t:size():totable(), 'x') end\n"


def prints(lua: Lua, program: str) -> str:
    return lua(f"require 'nn'\n{SIZES}{program}")


# By the formulas of the original's files in Lua and C, computed by hand.
@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("print(nn.DistKLDivCriterion(false).sizeAverage)", "true"),
        ("print(nn.SoftMarginCriterion(false).sizeAverage)", "true"),
        ("print(nn.MultiLabelMarginCriterion(false).sizeAverage)", "true"),
        # Divided by the samples, not by the elements: log(2) for each.
        (
            "local c, x = nn.DistanceRatioCriterion(), torch.ones(3, 2) local loss = c:forward{x, x}"
            " print(loss / math.log(2), c:backward({x, x})[1][1][1] * 3)",
            "2\t0.5",
        ),
        (
            "print(nn.SpatialFullConvolution(3, 1, 3, 1, 2, 2, 0, 0, 1, 1))",
            "nn.SpatialFullConvolution(3 -> 1, 3x1, 2,2, 1,1)",
        ),
        ("local m = nn.SelectTable(1) m:forward{torch.ones(2)} print(torch.type(m:float().output))", "table"),
        ("print(nn.SpatialFractionalMaxPooling(2, 2, 0.6, 0.6))", "nn.SpatialFractionalMaxPooling(0x0, 2,2)"),
        (
            "local m, x = nn.SparseLinear(3, 2), torch.Tensor{{1, 2}} m:forward(x)"
            " print(#m:backward(x, m.output))",
            "0",
        ),
        (
            "local m, x = nn.IndexLinear(3, 2), {{torch.LongTensor{1, 2}}, {torch.ones(2)}} m:forward(x)"
            " print(type(m:updateGradInput(x, torch.ones(1, 2))), next(m.gradInput))",
            "table\tnil",
        ),
        # The gradient x (|x| + eps)^(p - 2) of the norm is a half for eps = 1 and x = 1; the norm is 2.
        (
            "local m, x = nn.Normalize(1, 1), torch.Tensor{1, 0} m:forward(x)"
            " print(m:backward(x, torch.Tensor{1, 0})[1])",
            "0.375",
        ),
        # Elements without a difference have the signs -1 and 1 of the draws 1 and 2.
        (
            "torch.manualSeed(1) local m, x = nn.PairwiseDistance(1), torch.ones(2, 4) m:forward{x, x}"
            " local g = m:backward({x, x}, torch.ones(2))[1] torch.manualSeed(1) local same = true"
            " for i = 1, 8 do same = same and g:view(-1)[i] == 2 * torch.random(2) - 3 end print(same)",
            "true",
        ),
        # For powers between 1 and 2 the original leaves out a factor: d / norm^(p - 1).
        (
            "local m, a, b = nn.PairwiseDistance(1.5), torch.Tensor{{4, 0}}, torch.zeros(1, 2)"
            " m:forward{a, b} print(math.abs(m:backward({a, b}, torch.ones(1))[1][1][1] - 2) < 1e-6)",
            "true",
        ),
    ],
)
def test_results_by_formulas_of_the_original(lua: Lua, program: str, expected: str) -> None:
    assert prints(lua, program) == f"{expected}\n"


# What follows a seed says how many numbers a constructor drew: the first outputs of mt19937 for seed 1.
@pytest.mark.parametrize(
    ("module", "drawn"),
    [
        # An estimator of the original: a kernel for each plane with its biases, then one over all planes.
        ("SpatialSubtractiveNormalization(1, torch.ones(3))", 3 + 1 + 3 + 1),
        ("SpatialSubtractiveNormalization(2, torch.ones(3, 5))", 2 * 15 + 1),
        ("SpatialDivisiveNormalization(1, torch.ones(3))", 2 * 8),
        ("SpatialDivisiveNormalization(2, torch.ones(3))", 2 * (6 + 2 + 6 + 1)),
        ("SpatialContrastiveNormalization(1, torch.ones(3))", 3 * 8),
        ("WeightNorm(nn.Linear(3, 2))", 8 + 6),
        ("IndexLinear(3, 2)", 0),
    ],
)
def test_constructors_draw_as_many_numbers(lua: Lua, module: str, drawn: int) -> None:
    program = f"""
    torch.manualSeed(1) nn.{module} local after = torch.random()
    torch.manualSeed(1) for i = 1, {drawn} do torch.random() end
    print(after == torch.random())"""
    assert prints(lua, program) == "true\n"


def test_subtractive_normalization_leaves_the_original_state(lua: Lua) -> None:
    program = "torch.manualSeed(1) nn.SpatialSubtractiveNormalization(1, torch.ones(3)) print(torch.random())"
    assert prints(lua, program) == "630311759\n"


def test_weight_norm_draws_directions_and_zeros_the_bias(lua: Lua) -> None:
    program = """
    torch.manualSeed(1) local m = nn.WeightNorm(nn.Linear(3, 2))
    torch.manualSeed(1) nn.Linear(3, 2) local v = torch.Tensor(2, 3):normal(0, math.sqrt(2 / 3))
    print((m.v - v):abs():max(), (m.g - v:norm(2, 2)):abs():max(), m.bias:abs():max())"""
    assert prints(lua, program) == "0\t0\t0\n"


def test_index_linear_starts_with_zeros(lua: Lua) -> None:
    assert prints(lua, "local m = nn.IndexLinear(3, 2) print(m.weight:sum(), m.bias:sum())") == "0\t0\n"
    program = """
    local m = nn.IndexLinear(3, 2) m.weight:copy(torch.range(1, 6)) m.bias:fill(1)
    print(unpack(m:forward{torch.LongTensor{1, 3}, torch.Tensor{2, 10}, 2}[1]:totable()))"""
    assert prints(lua, program) == "53\t65\n"


def test_a_decorator_has_an_output_of_its_own(lua: Lua) -> None:
    program = "local d = nn.Decorator(nn.Tanh()) print(rawequal(d.output, d.modules[1].output))"
    assert prints(lua, program) == "false\n"


@pytest.mark.parametrize(
    ("arguments", "size", "expected"),
    [
        ("2, 2, 2, .7, .6, .5", "1, 20, 20, 20", "1x10x12x14"),
        ("2, 2, 2, .7, .6, .5", "2, 1, 20, 20, 20", "2x1x10x12x14"),
        ("2, 2, 2, 5, 6, 7", "1, 20, 20, 20", "1x7x6x5"),
        ("2, 3, 4, 5, 6, 7", "1, 10, 8, 6", "1x7x6x5"),
    ],
)
def test_fractional_pooling_of_volumes_has_time_last(
    lua: Lua, arguments: str, size: str, expected: str
) -> None:
    program = f"""
    local m, x = nn.VolumetricFractionalMaxPooling({arguments}), torch.rand({size})
    local y = m:forward(x)
    print(sizes(y), x:max() >= y:max(), sizes(m:backward(x, y)))"""
    assert prints(lua, program) == f"{expected}\ttrue\t{size.replace(', ', 'x')}\n"


@pytest.mark.parametrize(
    ("module", "size"),
    [
        ("BatchNormalization(3)", "3"),
        ("SpatialBatchNormalization(3)", "3, 2, 2"),
        ("VolumetricBatchNormalization(3)", "3, 2, 1, 2"),
        ("SpatialBatchNormalization(3, nil, nil, false)", "3, 2, 2"),
    ],
)
@pytest.mark.parametrize("kind", ["Double", "Float"])
def test_batch_normalization_of_one_sample(lua: Lua, module: str, size: str, kind: str) -> None:
    """As in the original, results are batches of one, as a contiguous input is then itself."""
    program = f"""
    local m = nn.{module}:type('torch.{kind}Tensor')
    m.running_mean:uniform() m.running_var:uniform(1, 2) m:evaluate()
    local x = torch.rand({size}):type('torch.{kind}Tensor')
    local strided = torch.rand({size}, 2):type('torch.{kind}Tensor'):select(x:dim() + 1, 1):copy(x)
    local batch = x:view(1, {size})
    local wanted, gradient = m:forward(batch):clone(), m:backward(batch, batch):clone()
    local first = x:clone()
    for _, input in ipairs {{x, strided}} do
       local y = m:forward(input)
       local g = m:backward(input, input)
       print(sizes(y), sizes(g), sizes(input), (y - wanted):abs():max(), (g - gradient):abs():max())
    end
    m:training() print(pcall(m.forward, m, first))"""
    lines = prints(lua, program).splitlines()
    one = size.replace(", ", "x")
    assert lines[:2] == [f"1x{one}\t1x{one}\t{input}\t0\t0" for input in (f"1x{one}", one)]
    assert "only batches are supported" in lines[2]


def test_a_batch_of_one_is_normalized_as_in_evaluation(lua: Lua) -> None:
    """The numbers are the original's; the running values stay, also of one image."""
    program = """
    local m = nn.BatchNormalization(2)
    m.weight:copy(torch.Tensor{0.5107, 0.11})
    local x = torch.Tensor{{1, 2}}
    print(('%.4f %.4f'):format(unpack(m:forward(x)[1]:totable())))
    print(('%.4f %.4f'):format(unpack(m:backward(x, torch.ones(1, 2))[1]:totable())))
    print(m.running_mean:sum(), m.running_var:sum())
    local s = nn.SpatialBatchNormalization(1)
    s.weight:fill(1)
    print(s:forward(torch.range(1, 4):view(1, 1, 2, 2)):max() > 3.9, s.running_mean[1])"""
    assert prints(lua, program) == "0.5107 0.2200\n0.5107 0.1100\n0\t2\ntrue\t0\n"


def test_modules_of_tables_and_maps(lua: Lua) -> None:
    """What the original printed."""
    program = """
    local m, x = nn.FlattenTable(), {torch.ones(1), {torch.ones(2)}}
    m:forward(x)
    local o, map = m.output, m.input_map
    m:forward(x)
    print(m.output == o, m.input_map == map, map[2][1])
    x[2][2] = torch.ones(3)
    m:forward(x)
    print(m.output ~= o, m.input_map ~= map, #o, #m.output)
    local l = nn.Linear(3, 3)
    l.bias = torch.Tensor(3, 3):fill(2):select(2, 2)
    print(pcall(l.getParameters, l))
    local i, k, v = nn.IndexLinear(5, 2, true), torch.LongTensor{1, 3}, torch.Tensor{0.5, 2}
    i.weight:copy(torch.range(1, 10):view(5, 2))
    i:forward{k, v}
    local g = i:backward({k, v}, torch.ones(2))
    print(g[1]:type(), table.concat(g[1]:totable(), ' '), table.concat(g[2]:totable(), ' '))
    i:forward{{k, k}, {v, v}}
    g = i:backward({{k, k}, {v, v}}, torch.ones(2, 2))
    print(#g[1], #g[2], g[2][2]:size(1))
    local c = nn.SpatialConvolutionMap(torch.Tensor{{1, 1}, {2, 1}}, 3, 3)
    local x = torch.ones(3, 5, 5)
    print(c:forward(x):size(1), c:backward(x, torch.ones(1, 3, 3)):size(1), c.gradInput[3]:sum(),
       c.gradInput[2]:sum() ~= 0)"""
    lines = prints(lua, program).splitlines()
    assert lines[:2] == ["true\ttrue\t2", "true\ttrue\t2\t3"]
    assert "Cannot gather tensors that are not compact" in lines[2]
    assert lines[3:] == ["torch.LongTensor\t1 2 3 4 5\t3 7 11 15 19", "2\t2\t5", "1\t3\t0\ttrue"]


def test_parallel_takes_fewer_slices_than_modules(lua: Lua) -> None:
    program = """
    local m = nn.Parallel(1, 1):add(nn.MulConstant(2)):add(nn.MulConstant(3))
    local x = torch.ones(1, 2)
    print(unpack(m:forward(x):totable())) print(unpack(m:backward(x, torch.ones(2))[1]:totable()))
    print(pcall(m.forward, m, torch.ones(3, 2)))"""
    lines = prints(lua, program).splitlines()
    assert lines[:2] == ["2\t2", "2\t2"]
    assert "a size of at most 2, the number of modules, in dimension 1" in lines[2]


def test_parallel_joins_outputs_of_different_dimension_counts(lua: Lua) -> None:
    program = """
    local m = nn.Parallel(1, 1):add(nn.Reshape(2, 2)):add(nn.Reshape(2, 2, 1))
    local x = torch.range(1, 8):view(2, 4)
    local y = m:forward(x)
    print(sizes(y), (y:view(-1) - x:view(-1)):abs():max(), (m:backward(x, y) - x):abs():max())"""
    assert prints(lua, program) == "4x2\t0\t0\n"


# Slopes at the input 0.5, times the gradOutput 3.
@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("HardTanh()", 3),
        ("HardTanh(-1, 0.25)", 0),
        ("ReLU()", 3),
        ("Threshold(0.7)", 0),
        ("Clamp(-1, 1)", 3),
        ("Square()", 3),
        ("Abs()", 3),
        ("Power(3)", 2.25),
        ("Log()", 6),
        ("LeakyReLU()", 3),
        ("HardShrink(0.25)", 3),
        ("SoftShrink(0.75)", 0),
        ("ReLU6()", 3),
    ],
)
def test_backward_without_forward(lua: Lua, module: str, expected: float) -> None:
    program = f"""
    local x, g = torch.Tensor(2, 3):fill(0.5), torch.Tensor(2, 3):fill(3)
    local fresh, other = nn.{module}, nn.{module}
    other:forward(torch.ones(7))
    local a, b = fresh:backward(x, g), other:backward(x, g)
    print(sizes(a), math.abs(a[2][3] - {expected}) < 1e-12, math.abs(b[2][3] - {expected}) < 1e-12)"""
    assert prints(lua, program) == "2x3\ttrue\ttrue\n"


def test_backward_of_functions_of_the_output_needs_forward(lua: Lua) -> None:
    program = "print(pcall(function() nn.Tanh():backward(torch.ones(2), torch.ones(2)) end))"
    assert "backward called before forward on this input" in prints(lua, program)


@pytest.mark.parametrize(
    ("parameter", "input_"),
    [("1, 2, 3, 1", "4, 2, 3"), ("1, 6", "4, 2, 3"), ("6", "4, 2, 3, 1")],
)
def test_elementwise_parameters_of_another_shape(lua: Lua, parameter: str, input_: str) -> None:
    program = f"""
    local x = torch.rand({input_})
    local rows = x:view(4, 6)
    local m, a = nn.CMul({parameter}), nn.CAdd({parameter})
    local w, b = m.weight:view(1, 6):expandAs(rows), a.bias:view(1, 6):expandAs(rows)
    print((m:forward(x):view(4, 6) - torch.cmul(rows, w)):abs():max(),
       (a:forward(x):view(4, 6) - (rows + b)):abs():max(), sizes(m.output) == sizes(x))
    m:zeroGradParameters() a:zeroGradParameters()
    m:backward(x, x) a:backward(x, x)
    print((m.gradWeight:view(-1) - torch.cmul(rows, rows):sum(1):view(-1)):abs():max() < 1e-12,
       (a.gradBias:view(-1) - rows:sum(1):view(-1)):abs():max() < 1e-12)"""
    assert prints(lua, program) == "0\t0\ttrue\ntrue\ttrue\n"


@pytest.mark.parametrize(
    ("module", "size"),
    [
        ("SpatialFullConvolution(1, 1, 2, 2, 2, 2)", "2, 2"),
        ("VolumetricFullConvolution(1, 1, 2, 2, 2, 2, 2, 2)", "2, 2, 2"),
    ],
)
def test_the_size_of_a_full_convolution_has_a_gradient_of_one_zero(lua: Lua, module: str, size: str) -> None:
    target = size.replace("2", "4")
    program = f"""
    local m, x, t = nn.{module}, torch.rand(1, {size}), torch.rand({target})
    local g = m:backward({{x, t}}, m:forward{{x, t}})
    print(g[2]:storage():size(), sizes(g[2]), g[2]:sum(), sizes(g[1]))"""
    expected = f"1\t{target.replace(', ', 'x')}\t0\t1x{size.replace(', ', 'x')}\n"
    assert prints(lua, program) == expected


def test_flatten_table_keeps_its_tables_while_the_input_is_the_same(lua: Lua) -> None:
    program = """
    local m, a, b = nn.FlattenTable(), torch.ones(1), torch.ones(2)
    local x = {a, {b}}
    local y = m:forward(x) print(rawequal(y, m:forward(x)), #y)
    local g = m:backward(x, {a, b}) print(rawequal(g, m:backward(x, {a, b})), #g, #g[2])
    y = m:forward{a, {b, {a}}} print(#y)
    print(#m:backward({{a, b}, a}, m:forward{{a, b}, a})[1])"""
    assert prints(lua, program) == "true\t2\ntrue\t2\t1\n3\n2\n"


@pytest.mark.parametrize(
    ("axes", "size", "expected"),
    [
        ("'chw', 'f'", "2, 2, 3", "12"),
        ("'chw', 'f'", "5, 2, 2, 3", "5x12"),
        ("'chw', 'bf'", "2, 2, 3", "12"),
        ("'chw', 'bchw'", "2, 2, 3", "2x2x3"),
        ("'bchw', 'f'", "5, 2, 2, 3", "5x12"),
        ("'bchw', 'chw'", "5, 2, 2, 3", "5x2x2x3"),
        ("'bchw', 'bhwc'", "2, 4, 3", "4x3x2"),
        ("'chwb', 'bf'", "2, 2, 3, 5", "5x12"),
        ("'f', 'bf'", "3", "3"),
        ("'b', 'bt'", "4", "4x1"),
        ("'b', 'bf'", "4", "4x1"),
        ("'bt', 'b'", "4, 2", "4"),
        ("'bf', 'b'", "4, 1", "4"),
    ],
)
def test_convert_between_axes(lua: Lua, axes: str, size: str, expected: str) -> None:
    program = f"""
    local m, x = nn.Convert({axes}), torch.rand({size})
    local y = m:forward(x)
    print(sizes(y), sizes(m:backward(x, y)) == sizes(x))
    print(torch.type(m:forward(x:float())), torch.type(m:backward(x:float(), y)))"""
    assert prints(lua, program) == f"{expected}\ttrue\ntorch.DoubleTensor\ttorch.FloatTensor\n"


def test_convert_moves_elements(lua: Lua) -> None:
    program = """
    local x = torch.range(1, 12):view(2, 2, 3)
    local m = nn.Convert('chw', 'hwc')
    local y = m:forward(x)
    print((y - x:permute(2, 3, 1)):abs():max(), (m:backward(x, y) - x):abs():max())
    x = torch.range(1, 24):view(2, 3, 4)
    y = nn.Convert('chb', 'bf'):forward(x)
    print((y - x:permute(3, 2, 1):contiguous():view(4, 6)):abs():max())
    for _, axes in ipairs {{'bt', 'bf'}, {'chw', 'b'}, {'b*', 'bf'}, {'bf', 'bc'}} do
       print((pcall(function() nn.Convert(unpack(axes)):forward(torch.rand(2, 2)) end)))
    end"""
    lines = prints(lua, program).splitlines()
    assert lines[0] == "0\t0"
    # Axis b is swapped to the front first, which reverses the others here.
    assert lines[1] == "0"
    assert lines[2:] == ["true", "false", "false", "false"]


def test_sparse_linear_gives_a_table_of_pairs(lua: Lua) -> None:
    program = """
    local m = nn.SparseLinear(3, 2, true) m.weight:copy(torch.range(1, 6))
    local one, batch = torch.Tensor{{1, 2}, {3, 1}}, torch.Tensor{{{1, 2}, {3, 1}}, {{1, 1}, {2, 2}}}
    m:forward(one)
    local g = m:backward(one, torch.Tensor{1, 10})
    print(type(g), #g, unpack(g[1]:select(2, 2):totable()))
    for _, x in ipairs {batch, {batch[1], batch[2]}} do
       m:forward(x)
       g = m:backward(x, torch.Tensor{{1, 10}, {0, 1}})
       print(torch.type(g), #g == 2 or sizes(g), unpack(g[2]:select(2, 2):totable()))
    end"""
    rows = "\t4\t5\t6\n"
    # Of a tensor of samples the original gives a tensor.
    several = f"torch.DoubleTensor\t2x3x2{rows}table\ttrue{rows}"
    assert prints(lua, program) == "table\t1\t41\t52\t63\n" + several


def test_sparse_jacobian_of_a_dense_module(lua: Lua) -> None:
    program = """
    local m, x = nn.PartialLinear(4, 2), torch.rand(3, 4)
    m.network.modules[1].modules[2].weight:fill(2)
    local j = nn.SparseJacobian.backward(m, x)
    print(sizes(j), j:sum())"""
    assert prints(lua, program) == "3x6\t12\n"


def test_second_derivatives_of_local_convolutions(fresh_lua: Lua) -> None:
    program = """
    require 'nn' nn.hessian.enable()
    local m, x = nn.SpatialConvolutionLocal(1, 1, 2, 2, 1, 1), torch.ones(1, 2, 2)
    m.weight:fill(2) m:forward(x) m:initDiagHessianParameters()
    m:backwardDiagHessian(x, torch.ones(1, 2, 2))
    print(m.diagHessianInput:sum(), m.diagHessianBias:sum(), m.diagHessianWeight:sum())"""
    assert fresh_lua(program) == "16\t4\t4\n"


@pytest.mark.parametrize("kind", ["Int", "Long", "Byte", "Short", "Float", "Double"])
def test_class_nll_targets(lua: Lua, kind: str) -> None:
    program = f"""
    local T, c, w = torch.{kind}Tensor, nn.ClassNLLCriterion(), nn.ClassNLLCriterion(torch.Tensor{{1, 2, 4}})
    local row, flat = torch.Tensor{{{{1, 2, 5}}}}, torch.Tensor{{1, 2, 5}}
    print(c:forward(row, T{{3}})) print(w:forward(row, T{{3}})) print(c:forward(flat, T{{2, 1}}))
    print(unpack(c:backward(flat, T{{2, 1}}):totable()))
    print(c:forward(row, 3)) print(c.total_weight_tensor[1])
    print((pcall(c.forward, c, row, T{{1, 2}})))"""
    assert prints(lua, program) == "-5\t1\n-5\t4\n-2\t1\n0\t-1\t0\n-5\t1\n1\nfalse\n"


# What the original printed.
def test_class_nll_gradients_are_divided_by_the_weights_of_the_last_forward(lua: Lua) -> None:
    program = """
    for _, type in ipairs{'torch.DoubleTensor', 'torch.FloatTensor'} do
       local c, y = nn.ClassNLLCriterion(torch.Tensor{1, 2, 5}):type(type), torch.zeros(2, 3):type(type)
       local function print_gradient(...) print(unpack(c:backward(...):view(-1):totable())) end
       print_gradient(y, torch.Tensor{1, 3})
       c:forward(y, torch.Tensor{2, 2})
       print_gradient(y, torch.Tensor{1, 3})
       print_gradient(y[1], 3)
       c.sizeAverage = false
       print_gradient(y, torch.Tensor{1, 3})
       c = nn.SpatialClassNLLCriterion(torch.Tensor{1, 2, 5}):type(type)
       y = y:view(1, 3, 2, 1)
       local first, second = torch.Tensor{1, 3}:view(1, 2, 1), torch.Tensor{2, 2}:view(1, 2, 1)
       print_gradient(y, first)
       c:forward(y, second)
       print_gradient(y, first)
       c.weights:fill(0)
       c:forward(y, second)
       c.weights:fill(1)
       print_gradient(y, first)
    end"""
    expected = """-1\t0\t0\t0\t0\t-5
-0.25\t0\t0\t0\t0\t-1.25
0\t0\t-1
-1\t0\t0\t0\t0\t-5
-1\t0\t0\t0\t0\t-5
-0.25\t0\t0\t0\t0\t-1.25
0\t0\t0\t0\t0\t0
"""
    assert prints(lua, program) == 2 * expected


# What the original printed.
def test_results_that_are_views_stay_views(lua: Lua) -> None:
    program = """
    local function strided(t)
       local sizes = t:size():totable()
       sizes[#sizes + 1] = 2
       return t.new(unpack(sizes)):zero():select(#sizes, 2)
    end
    local function check(make, size, type)
       torch.manualSeed(1)
       local m, x = make():type(type), torch.rand(unpack(size)):type(type)
       local wanted = m:forward(x):clone()
       local wanted_gradient = m:updateGradInput(x, wanted):clone()
       local output, gradInput = strided(wanted), strided(wanted_gradient)
       m.output, m.gradInput = output, gradInput
       m:forward(x) m:updateGradInput(x, wanted)
       print(output:equal(wanted), gradInput:equal(wanted_gradient), output:isContiguous(),
          output:storage()[1])
    end
    for _, type in ipairs{'torch.DoubleTensor', 'torch.FloatTensor'} do
       check(function() return nn.Linear(3, 2) end, {4, 3}, type)
       check(function() return nn.Linear(3, 2) end, {3}, type)
       check(nn.Tanh, {4, 3}, type)
       check(nn.ReLU, {4, 3}, type)
       check(nn.LogSigmoid, {4, 3}, type)
       check(nn.PReLU, {4, 3}, type)
       check(function() return nn.BatchNormalization(3) end, {4, 3}, type)
       check(function() return nn.SpatialBatchNormalization(3) end, {2, 3, 4, 4}, type)
       check(function() return nn.SpatialUpSamplingNearest(2) end, {2, 3, 4, 4}, type)
       check(function() return nn.Cosine(3, 2) end, {4, 3}, type)
    end
    local all, x, w, b = torch.zeros(2, 4, 3, 3), torch.rand(2, 1, 3, 3), torch.ones(2, 9), torch.zeros(2)
    local part = all:narrow(2, 2, 2)
    x.THNN.SpatialConvolutionMM_updateOutput(x:cdata(), part:cdata(), w:cdata(), b:cdata(), x.new():cdata(),
       x.new():cdata(), 3, 3, 1, 1, 1, 1)
    print(all[1][1]:sum(), all[1][2][2][2] == x[1]:sum(), all[2][3][2][2] == x[2]:sum(), all[2][4]:sum())
    local m, statistics = nn.BatchNormalization(3), torch.zeros(3, 2)
    m.running_mean = statistics:select(2, 2)
    m:forward(torch.Tensor{{1, 2, 3}, {3, 2, 1}})
    print(unpack(statistics:view(-1):totable()))
    m = nn.Bilinear(1, 1, 2)
    m.weight:fill(1)
    m.bias = torch.Tensor{{1, 3}, {2, 3}}:select(2, 1)
    print(unpack(m:forward{torch.ones(1, 1), torch.ones(1, 1)}:view(-1):totable()))
    """
    expected = 20 * "true\ttrue\tfalse\t0\n" + "0\ttrue\ttrue\t0\n0\t0.2\t0\t0.2\t0\t0.2\n2\t3\n"
    assert prints(lua, program) == expected


# A call that fails between may be one of memory or of Ctrl-C.
def test_results_are_views_again_after_calls_that_failed(lua: Lua) -> None:
    program = """
    local calls = require 'nn.class.calls'
    local later, fails = calls.restore_later, true
    function calls.restore_later(...)
       later(...)
       if fails then error('no') end
    end
    local x, m, all = torch.ones(3), nn.Sequential():add(nn.Linear(3, 2)), torch.zeros(2, 2)
    local inner = m:get(1)
    inner.weight:fill(1) inner.bias:fill(1)
    for i = 1, 301 do
       inner.output = all:select(2, 1 + (i + 1) % 2)
       fails = i < 301
       local ok = pcall(m.forward, m, x)
       assert(ok ~= fails)
    end
    calls.restore_later = later
    print(inner.output:stride(1), all[1][1], all[2][1], all[1][2])
    -- The failure of one within another one does not end that.
    local outer = nn.Linear(3, 2)
    outer.output = all:select(2, 2)
    fails = true
    m.updateOutput = function(self, x)
       calls.restore_later = function(...) later(...) error('no') end
       inner.output = all:select(2, 1)
       pcall(inner.forward, inner, x)
       calls.restore_later = later
       return nn.Sequential.updateOutput(self, x)
    end
    m:forward(x)
    nn.Tanh():forward(x)
    print(inner.output:stride(1), all[1][1], all[2][1])
    local made = {}
    for i = 1, 20 do
       made[i] = coroutine.wrap(function()
          inner.output = all:select(2, 1)
          return pcall(inner.forward, inner, 5 * x)
       end)()
    end
    print(made[20], all[2][1])
    """
    assert prints(lua, program) == "2\t4\t4\t0\n2\t4\t4\ntrue\t16\n"



def test_bilinear_upsampling_is_printed_with_its_size(lua: Lua) -> None:
    program = "local B = nn.SpatialUpSamplingBilinear print(B(2)) print(B{oheight = 3, owidth = 4})"
    assert prints(lua, program) == "nn.SpatialUpSamplingBilinear(2)\nnn.SpatialUpSamplingBilinear(3, 4)\n"


def test_bilinear_upsampling_goes_back_after_other_sizes(lua: Lua) -> None:
    program = """
    local m, x = nn.SpatialUpSamplingBilinear(2), torch.rand(1, 3, 4)
    local wanted = m:backward(x, m:forward(x)):clone()
    local g = m.output:clone()
    m:forward(torch.rand(1, 7, 7))
    print((m:backward(x, g) - wanted):abs():max())"""
    assert prints(lua, program) == "0\n"


def test_kmeans_plus_draws_among_the_farthest(lua: Lua) -> None:
    # With p = 1 one sample is left to draw from: the farthest from all centres so far.
    program = """
    local x = torch.Tensor{{0, 0}, {1, 0}, {10, 0}, {4, 0}}
    local k = nn.Kmeans(3, 2)
    torch.manualSeed(3) local first = torch.random(4) torch.manualSeed(3)
    k:initKmeansPlus(x, 1)
    local chosen = {k.weight[1][1], k.weight[2][1], k.weight[3][1]}
    local centres = {x[first][1]}
    for i = 2, 3 do
       local best, far = nil, -1
       for j = 1, 4 do
          local d = math.huge
          for _, c in ipairs(centres) do d = math.min(d, math.abs(x[j][1] - c)) end
          if d > far then best, far = x[j][1], d end
       end
       centres[i] = best
    end
    print(chosen[1] == centres[1], chosen[2] == centres[2], chosen[3] == centres[3])
    torch.manualSeed(3) local drawn = {torch.random(4), torch.random(4), torch.random(4)} torch.manualSeed(3)
    local w = k:initRandom(x)
    print(w[1][1] == x[drawn[1]][1], w[2][1] == x[drawn[2]][1], w[3][1] == x[drawn[3]][1])"""
    assert prints(lua, program) == "true\ttrue\ttrue\ntrue\ttrue\ttrue\n"


def test_parallel_criterion_of_tensors(lua: Lua) -> None:
    # (1 + 4) / 2 + 0.5 * (3 + 4) / 2
    program = """
    local c = nn.ParallelCriterion():add(nn.MSECriterion()):add(nn.AbsCriterion(), 0.5)
    local x, t = torch.Tensor{{1, 2}, {3, 4}}, torch.zeros(2, 2)
    print(c:forward(x, t), unpack(c:backward(x, t):view(-1):totable()))
    print((pcall(c.forward, c, x, torch.zeros(1, 2))))"""
    assert prints(lua, program) == "4.25\t1\t2\t0.25\t0.25\nfalse\n"


def test_wrong_sizes_keep_the_original_phrase(lua: Lua) -> None:
    program = "print(pcall(function() nn.Linear(3, 2):forward(torch.ones(4)) end))"
    assert "size mismatch" in prints(lua, program)


def test_what_the_original_skipped_warns_once(t7: Run) -> None:
    program = """
    local c = nn.ConcatTable()
    for i = 1, 3 do c:add(nil) end
    c:add(nn.Identity())
    print(c:size())
    local m = nn.Linear(2, 2) m:zeroGradParameters() m:forward(torch.ones(6, 2))
    local x = torch.ones(3, 2, 2)
    for i = 1, 2 do print(m:backward(x, x):sum(), m.gradWeight:sum()) end"""
    result = t7("-l", "nn", "-e", program)
    assert result.stdout == "1\n0\t0\n0\t0\n"
    warnings = result.stderr.splitlines()
    assert len(warnings) == 2
    assert warnings[0].endswith(":3: warning: ConcatTable: add: nil is not added")
    assert ":8: warning: Linear(2 -> 2): backward: no gradients for an input of 3 dimensions" in warnings[1]


def test_a_full_table_of_connections_is_a_convolution(lua: Lua) -> None:
    program = """
    local a, b = nn.SpatialConvolutionMap(nn.tables.full(2, 3), 3, 2), nn.SpatialConvolution(2, 3, 3, 2)
    for c = 1, 6 do
       local from, to = a.connTable[c][1], a.connTable[c][2]
       b.weight[to][from]:copy(a.weight[c])
    end
    b.bias:copy(a.bias)
    local x, g = torch.rand(4, 2, 5, 6), torch.rand(4, 3, 4, 4)
    a:zeroGradParameters() b:zeroGradParameters()
    local far = (a:forward(x) - b:forward(x)):abs():max()
    far = math.max(far, (a:backward(x, g) - b:backward(x, g)):abs():max())
    far = math.max(far, (a.gradBias - b.gradBias):abs():max())
    for c = 1, 6 do
       local from, to = a.connTable[c][1], a.connTable[c][2]
       far = math.max(far, (a.gradWeight[c] - b.gradWeight[to][from]):abs():max())
    end
    print(far < 1e-12)"""
    assert prints(lua, program) == "true\n"


def test_storages_that_are_shared_in_part_stay_so(lua: Lua) -> None:
    program = """
    local s, z, m = torch.range(1, 10), torch.zeros(10), nn.Module()
    local function parts(t) return {t:narrow(1, 1, 4), t:narrow(1, 3, 4), t:narrow(1, 9, 2)} end
    local p, g = parts(s), parts(z)
    function m.parameters() return p, g end
    local flat = m:getParameters()
    print(unpack(flat:totable()))
    flat[3] = 50
    print(p[1][3], p[2][1], p[3][2])"""
    assert prints(lua, program) == "1\t2\t3\t4\t5\t6\t9\t10\n50\t50\t10\n"


def test_tensors_are_joined_by_their_elements(lua: Lua) -> None:
    program = """
    local a, b = torch.range(1, 24):view(2, 3, 4), torch.range(25, 48):view(2, 12)
    local m = nn.JoinTable(1)
    local y = m:forward{a, b}
    local g = m:backward({a, b}, y)
    print(sizes(y), (y:view(-1) - torch.range(1, 48)):abs():max(), sizes(g[2]), (g[2] - b):abs():max())
    local c, x = nn.Concat(1):add(nn.Reshape(2, 3, 4)):add(nn.Reshape(2, 12)), torch.range(1, 24)
    y = c:forward(x)
    print(sizes(y), (c:backward(x, y) - x * 2):abs():max())
    for _, bad in ipairs {torch.rand(2, 11), torch.rand(24)} do print((pcall(m.forward, m, {a, bad}))) end
    print((pcall(m.forward, nn.JoinTable(2), {a, torch.rand(2)})))"""
    assert prints(lua, program) == "4x3x4\t0\t2x12\t0\n4x3x4\t0\nfalse\nfalse\nfalse\n"


@pytest.mark.parametrize("module", ["CosineDistance()", "DotProduct()", "PairwiseDistance(2)"])
def test_a_vector_beside_a_batch_of_one(lua: Lua, module: str) -> None:
    program = f"""
    local m, a, b = nn.{module}, torch.rand(3), torch.rand(3)
    local wanted = m:forward{{a, b}}[1]
    for _, x in ipairs {{{{a, b:view(1, 3)}}, {{a:view(1, 3), b}}}} do
       print(m:forward(x)[1] == wanted, sizes(m:backward(x, torch.ones(1))[2]) == sizes(x[2]))
    end"""
    assert prints(lua, program) == "true\ttrue\n" * 2


def test_a_module_criterion_over_parameters_warns(t7: Run) -> None:
    result = t7(
        "-e",
        """require 'nn' local m = nn.Linear(1, 1) m.weight[1][1], m.bias[1] = 3, 1
        print(nn.ModuleCriterion(nn.MSECriterion(), m):forward(torch.ones(1), torch.ones(1)))""",
    )
    assert result.stdout == "9\n"
    assert "warning: ModuleCriterion: nothing updates the parameters of inputModule" in result.stderr


def test_tensors_of_other_sizes_are_joined_with_a_warning(t7: Run) -> None:
    program = """local other = torch.range(1, 24):view(2, 4, 3)
    print(nn.JoinTable(1):forward{torch.ones(2, 3, 4), other}[3][1][4])"""
    result = t7("-l", "nn", "-e", program)
    assert result.stdout == "4\n"
    assert "warning: JoinTable: tensors of other sizes are joined element by element" in result.stderr


# Recorded from Torch7.
def test_a_batch_of_one_has_the_running_statistics(lua: Lua) -> None:
    program = """
    for _, float in ipairs { false, true } do
       local m = nn.BatchNormalization(2)
       m.running_var:fill(4 - 1e-5)
       m.running_mean:fill(1)
       m.weight:copy(torch.Tensor { 3, 5 })
       local x, g = torch.Tensor { { 2, 3 } }, torch.ones(1, 2)
       if float then m, x, g = m:float(), x:float(), g:float() end
       local y = m:forward(x):clone()
       print(('%.4f %.4f'):format(y[1][1], y[1][2]))
       local r = m:backward(x, g)
       print(('%.4f %.4f %.4f'):format(r[1][1], r[1][2], m.gradWeight[2]), m.gradBias[1])
       print(m.running_mean:sum(), m.running_var:min() > 3.99)
       local s = nn.SpatialBatchNormalization(2)
       s:forward(torch.rand(1, 2, 3, 3))
       print(s.running_mean:sum(), s.running_var:sum())
       s:forward(torch.rand(2, 2, 3, 3))
       print(s.running_mean:sum() > 0, s.running_var:sum() < 2)
    end"""
    assert prints(lua, program) == "1.5000 5.0000\n1.5000 2.5000 1.0000\t1\n2\ttrue\n0\t2\ntrue\ttrue\n" * 2


def test_gradients_of_all_inputs_of_an_index_linear(lua: Lua) -> None:
    program = """
    local m = nn.IndexLinear(5, 2, true)
    m.weight:copy(torch.range(1, 10):view(5, 2))
    local keys, values = torch.LongTensor { 1, 3 }, torch.Tensor { 0.5, 2 }
    m:forward { keys, values }
    local g = m:backward({ keys, values }, torch.ones(2))
    print(torch.type(g[1]), g[1]:sum(), table.concat(g[2]:totable(), ' '))
    local batch = { { keys, keys }, { values, values } }
    m:forward(batch)
    g = m:backward(batch, torch.ones(2, 2))
    print(#g[1], #g[2], g[1][2]:nElement(), table.concat(g[2][2]:totable(), ' '))
    local flat = { torch.cat(keys, keys), torch.cat(values, values), torch.LongTensor { 2, 2 } }
    m:forward(flat)
    g = m:backward(flat, torch.ones(2, 2))
    print(#g, sizes(g[1]), sizes(g[2]), g[2][2][5])"""
    assert prints(lua, program) == (
        "torch.LongTensor\t15\t3 7 11 15 19\n2\t2\t5\t3 7 11 15 19\n2\t2x5\t2x5\t19\n"
    )


def test_a_changed_input_gives_a_flat_table_and_a_map_that_are_new(lua: Lua) -> None:
    program = """
    local m = nn.FlattenTable()
    local x = { torch.ones(1), { torch.ones(2) } }
    m:forward(x)
    local o, map = m.output, m.input_map
    m:forward(x)
    print(m.output == o, m.input_map == map, map[1], map[2][1])
    x[2][2] = torch.ones(3)
    m:forward(x)
    print(m.output ~= o, m.input_map ~= map, #o, #m.output, m.input_map[2][2], #map[2])"""
    assert prints(lua, program) == "true\ttrue\t1\t2\ntrue\ttrue\t2\t3\t3\t1\n"


def test_parameters_with_gaps_are_refused(lua: Lua) -> None:
    program = """
    local l = nn.Linear(3, 3)
    l.bias = torch.Tensor(3, 3):fill(2):select(2, 2)
    print(pcall(l.getParameters, l))
    -- A transposed matrix has none, and neither have columns that are parameters all.
    l = nn.Linear(3, 2)
    l.weight, l.gradWeight = l.weight:t(), l.gradWeight:t()
    print(l:getParameters():size(1))
    local both, grads = torch.rand(3, 2), torch.zeros(3, 2)
    local net = nn.Sequential():add(nn.CAdd(3)):add(nn.CAdd(3))
    for i = 1, 2 do
       net:get(i).bias, net:get(i).gradBias = both:select(2, i), grads:select(2, i)
    end
    local flat = net:getParameters()
    flat:fill(7)
    print(flat:size(1), net:get(2).bias:sum())"""
    refused, *rest = prints(lua, program).splitlines()
    assert refused.startswith("false") and "Cannot gather tensors that are not compact" in refused
    assert rest == ["8", "6\t21"]


def test_planes_that_a_connection_table_does_not_name(lua: Lua) -> None:
    program = """
    local m = nn.SpatialConvolutionMap(torch.Tensor { { 1, 1 }, { 2, 1 } }, 3, 3)
    print(sizes(m:forward(torch.ones(3, 5, 5))), sizes(m:backward(torch.ones(3, 5, 5), torch.ones(1, 3, 3))))
    -- Batches give what their used planes alone give.
    local x, g = torch.randn(2, 4, 5, 5), torch.randn(2, 1, 3, 3)
    m:zeroGradParameters()
    local y, r, gw = m:forward(x):clone(), m:backward(x, g):clone(), m.gradWeight:clone()
    m:zeroGradParameters()
    local used = x:narrow(2, 1, 2):clone()
    print(m:forward(used):equal(y), m:backward(used, g):equal(r:narrow(2, 1, 2)), m.gradWeight:equal(gw))
    print(r:narrow(2, 3, 2):abs():max(), pcall(m.forward, m, torch.ones(1, 5, 5)))"""
    lines = prints(lua, program).splitlines()
    assert lines[:2] == ["1x3x3\t3x5x5", "true\ttrue\ttrue"]
    assert lines[2].startswith("0\tfalse") and "input must have at least 2 planes" in lines[2]


def test_the_first_weights_of_a_sub_sampling_are_used(lua: Lua) -> None:
    program = """
    local s = nn.SpatialSubSampling(2, 2, 2, 2, 2)
    s.weight, s.gradWeight = torch.range(1, 8):view(2, 2, 2), torch.zeros(2, 2, 2)
    s.bias:zero()
    local x = torch.ones(2, 4, 4)
    local y = s:forward(x)
    print(y[1][1][1], y[2][2][2], s:backward(x, torch.ones(2, 2, 2))[2][4][4])
    print(table.concat(s.gradWeight:view(-1):totable(), ' '))
    s.weight = torch.ones(3, 2, 2)
    print(pcall(s.forward, s, x))"""
    lines = prints(lua, program).splitlines()
    assert lines[:2] == ["4\t8\t2", "16 16 0 0 0 0 0 0"]
    assert "weight must have 2 elements" in lines[2]


def test_the_diagonal_of_a_linear_map_is_exact(lua: Lua) -> None:
    program = """
    nn.hessian.enable()
    local jac, worst = nn.Jacobian, 0
    torch.manualSeed(5)
    for i = 1, 3 do
       local m = nn.SpatialConvolutionMap(nn.tables.full(4, 4), 5, 5, 1, 1)
       m.weight:uniform(-2, 2)
       local x = torch.zeros(4, 9, 9)
       m:forward(x)
       m:backward(x, m.output)
       for _, what in ipairs { 'Input', 'Weight', 'Bias' } do
          worst = math.max(worst, jac['testDiagHessian' .. what](m, x))
       end
    end
    print(worst < 1e-9)
    local l = nn.Linear(2, 2)
    l.weight:copy(torch.Tensor { { 1, 2 }, { 3, 4 } })
    for _, gradient in ipairs { 'gradInput', 'gradWeight', 'gradBias' } do
       print(table.concat(jac.linearModuleDiagHessian(l, torch.ones(2), gradient):totable(), ' '))
    end
    print(pcall(jac.linearModuleDiagHessian, l, torch.ones(2), 'weight'))"""
    lines = prints(lua, program).splitlines()
    assert lines[:4] == ["true", "10 20", "1 1 1 1", "1 1"]
    assert "gradInput" in lines[4]


@pytest.mark.parametrize(
    ("module", "inputs"),
    [
        ("PairwiseDistance(2)", "torch.ones(2, 3), torch.zeros(2, 3)"),
        ("CosineDistance()", "torch.ones(2, 3), torch.ones(2, 3)"),
        ("DotProduct()", "torch.ones(2, 3), torch.ones(2, 3)"),
        ("MM()", "torch.ones(2, 3), torch.ones(3, 2)"),
        ("MV()", "torch.ones(2, 3), torch.ones(3)"),
        ("Bilinear(3, 3, 2)", "torch.ones(2, 3), torch.ones(2, 3)"),
        ("DistanceRatioCriterion()", "torch.ones(3), torch.ones(3)"),
        ("CosineEmbeddingCriterion()", "torch.ones(2, 3), torch.ones(2, 3)"),
        ("MarginRankingCriterion()", "torch.ones(3), torch.ones(3)"),
        ("L1HingeEmbeddingCriterion()", "torch.ones(3), torch.ones(3)"),
    ],
)
def test_cleared_modules_of_pairs_have_gradients(lua: Lua, module: str, inputs: str) -> None:
    """Torch7 stored their gradInput as an empty table, or as one tensor."""
    program = f"""
    local m, x, target = nn.{module}, {{{inputs}}}, nil
    if torch.isTypeOf(m, 'nn.Criterion') then target = torch.ones(x[1]:size(1)) end
    if torch.isTypeOf(m, 'nn.L1HingeEmbeddingCriterion') then target = 1 end
    for _, cleared in ipairs{{{{}}, torch.Tensor()}} do
       m.gradInput = cleared
       local y = m:forward(x, target)
       local g = m:backward(x, target or y:clone():fill(1))
       io.write(tostring(g[1]:isSameSizeAs(x[1]) and g[2]:isSameSizeAs(x[2])), ' ')
    end
    if m.clearState then
       m.gradInput = {{}}
       m:clearState()
    end"""
    assert prints(lua, program) == "true true "


def test_modules_of_files_of_torch7(lua: Lua) -> None:
    """There CMul's buffer views its input, parts of gradients are gradOutputs, and Copy keeps no types."""
    program = """
    local m, x = nn.CMul(2), torch.Tensor{{3, 4}}
    m._input = x:view(1, -1)
    m:forward(x)
    m:backward(x, torch.Tensor{{5, 6}})
    print(x[1][1], x[1][2])
    local part, gradient = nn.NarrowTable(2, 1), { torch.ones(3) }
    part:forward{torch.ones(2), torch.ones(3)}
    print(part:backward({torch.ones(2), torch.ones(3)}, gradient)[2] == gradient[1])
    local copy = nn.Copy('torch.DoubleTensor', 'torch.FloatTensor')
    copy.intype, copy.outtype, copy.forced = nil, nil, nil
    print(copy:forward(torch.ones(2)):type())
    """
    assert prints(lua, program) == "3\t4\ntrue\ntorch.FloatTensor\n"


@pytest.mark.parametrize(
    ("arguments", "size", "expected"),
    [
        ("2", "2, 3", "2x2x3"),
        ("2, 1, 1", "2, 3, 4", "2x2x3x4"),
        ("2, 2, 1", "3, 2, 3", "3x2x2x3"),
        ("3, 2, 2", "2, 3, 4, 5", "2x3x3x4x5"),
        ("3, 1, 2", "4", "3x4"),
        ("2, 2, 3", "2, 3, 4", "2x2x3x4"),
    ],
)
def test_replicate_takes_any_more_dimensions_as_a_batch(
    lua: Lua, arguments: str, size: str, expected: str
) -> None:
    """The original's sizes: whatever the number of further dimensions."""
    program = f"""
    local m, x = nn.Replicate({arguments}), torch.rand({size})
    local y = m:forward(x)
    print(sizes(y), (m:backward(x, y) - x * m.nfeatures):norm() < 1e-12)"""
    assert prints(lua, program) == f"{expected}\ttrue\n"


def test_reset_of_weight_norm_keeps_directions(lua: Lua) -> None:
    """The original's numbers: only the module inside draws, and of that the bias lasts."""
    program = """
    torch.manualSeed(1)
    local m = nn.WeightNorm(nn.Linear(2, 2))
    local v, g = m.v:clone(), m.g:clone()
    torch.manualSeed(3)
    m:reset(0.5)
    print((m.v - v):norm(), (m.g - g):norm(), torch.random())
    print(('%.6f %.6f'):format(m.bias[1], m.bias[2]))
    local y = m:forward(torch.ones(2))
    print(('%.6f %.6f'):format(y[1], y[2]))"""
    assert prints(lua, program) == "0\t0\t2193987840\n-0.362164 -0.655878\n1.962270 0.372235\n"


def test_kernels_of_planes_are_rows_until_their_first_use(lua: Lua) -> None:
    """The original's sizes and sums."""
    program = """
    torch.manualSeed(1)
    local m, x, g = nn.SpatialDepthWiseConvolution(2, 3, 2, 3), torch.rand(1, 2, 4, 5), torch.rand(1, 6, 2, 4)
    print(sizes(m.weight), sizes(m.gradWeight), m.bias:size(2), ('%.8f'):format(m.weight:sum()))
    m:forward(x) print(sizes(m.weight), sizes(m.gradWeight))
    m:backward(x, g) print(sizes(m.weight), sizes(m.gradWeight))"""
    assert prints(lua, program) == "3x12\t3x12\t2\t-0.35602812\n3x2x3x2\t3x12\n3x2x3x2\t3x2x3x2\n"


def test_versions_in_files(lua: Lua) -> None:
    """The original's: it sets lambda to 1 and ceil_mode to false in objects of version 1."""
    program = """
    local names = { 'GradientReversal', 'VolumetricMaxPooling', 'LookupTable', 'BatchNormalization',
       'SpatialBatchNormalization', 'VolumetricBatchNormalization', 'VolumetricDilatedMaxPooling', 'Linear' }
    for _, name in ipairs(names) do
       io.write(torch.serialize(nn[name](2, 2, 2), 'ascii'):match 'V (%d+)', ' ')
    end"""
    assert prints(lua, program) == "2 2 4 2 2 1 1 1 "


def test_norm_of_maxima_in_text(lua: Lua) -> None:
    """What the original prints."""
    printed = prints(lua, "print(nn.Normalize(1 / 0), nn.Normalize(2))")
    assert printed == "nn.Normalize(inf)\tnn.Normalize(2)\n"
