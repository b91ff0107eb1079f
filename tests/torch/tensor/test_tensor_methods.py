"""Tensors beyond the conformance chapter: layouts, conversions, failed calls, identity."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from t7shell.engine.engine import Engine
from tests.views_model import DTYPES

Lua = Callable[[str], str]

# Views of a 6x5 tensor x, and the same of an array.
LAYOUTS: list[tuple[str, Callable[[np.ndarray], np.ndarray]]] = [
    ("x", lambda a: a),
    ("x:t()", lambda a: a.T),
    ("x:narrow(2, 2, 3)", lambda a: a[:, 1:4]),
    ("x:select(2, 4)", lambda a: a[:, 3]),
    ("x:unfold(1, 3, 2)", lambda a: np.stack([a[0:3].T, a[2:5].T])),
    ("x:view(3, 2, 5):transpose(1, 3)", lambda a: a.reshape(3, 2, 5).swapaxes(0, 2)),
    ("x:narrow(1, 3, 1):expand(4, 5)", lambda a: np.broadcast_to(a[2:3], (4, 5))),
]


def elements(text: str) -> list[float]:
    return [float(word) for word in text.split()]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_conversions_of_all_layouts_follow_numpy(lua: Lua, source: str, target: str) -> None:
    array = np.arange(30).astype(DTYPES[source]).reshape(6, 5)
    for view, model in LAYOUTS:
        # Many times, so that the compiled loops are tried as well.
        program = f"""
        local x = torch.{source}Tensor(6, 5)
        for i = 1, 6 do for j = 1, 5 do x[i][j] = 5 * (i - 1) + j - 1 end end
        local v, y = {view}, nil
        for _ = 1, 40 do y = v:{target.lower()}() end
        print(table.concat(y:clone():storage():totable(), ' '))
        """
        wanted = model(array).astype(DTYPES[target])
        assert elements(lua(program))[: wanted.size] == wanted.ravel().tolist(), view


@pytest.mark.parametrize("kind", DTYPES)
def test_large_conversions_follow_numpy(lua: Lua, kind: str) -> None:
    program = f"""
    local x = torch.{kind}Tensor(200, 300)
    x:storage():copy(torch.range(0, 59999):fmod(100):{kind.lower()}():storage())
    local y = x:t():float()
    print(y[1][1], y[2][1], y[300][200], y[17][100])
    """
    array = (np.arange(60000) % 100).reshape(200, 300).T
    wanted = [array[0, 0], array[1, 0], array[299, 199], array[16, 99]]
    assert lua(program) == "\t".join(str(n) for n in wanted) + "\n"


def test_halves_round_to_even() -> None:
    engine = Engine()
    values = [0.1, 1 / 3, 2049, 2051, 65519, 65520, 1e-8, 6e-8, -0.0, 5.97e-8, 1023.75]
    listed = ", ".join(repr(v) for v in values)
    got = engine.execute(f"return table.concat(torch.HalfTensor{{{listed}}}:totable(), ' ')").values[0]
    with np.errstate(over="ignore"):
        wanted = np.array(values).astype("f2").astype("f8")
    np.testing.assert_allclose(elements(got), wanted, rtol=1e-12)


def test_many_dimensions(lua: Lua) -> None:
    source = """
    local x = torch.range(1, 128):view(2, 2, 2, 2, 2, 2, 2)
    local y = x:transpose(1, 7):clone()
    print(x:dim(), x[2][1][2][1][2][1][2], y[2][1][2][1][2][1][1], x[{2, 2, {}, 1, 1, {}, 1}]:sum())
    """
    array = np.arange(1.0, 129).reshape([2] * 7)
    total = array[1, 1, :, 0, 0, :, 0].sum()
    picked = array.swapaxes(0, 6)[1, 0, 1, 0, 1, 0, 0]
    assert elements(lua(source)) == [7, array[1, 0, 1, 0, 1, 0, 1], picked, total]


def test_equality_is_identity(lua: Lua) -> None:
    source = """
    local x = torch.zeros(2)
    local t = { x }
    print(x == t[1], x == torch.zeros(2), x == x:narrow(1, 1, 2), x ~= nil, x == 3)
    """
    assert lua(source) == "true\tfalse\tfalse\ttrue\tfalse\n"


@pytest.mark.parametrize(
    "call",
    ["x:resize(2^50)", "x:resize(2, 2^50)", "x:view(7)", "x:set(torch.FloatStorage(3))", "x:resize('a')",
     "x:narrow(1, 1, 9)", "x:expand(9, 9)", "x:t():t():t():view(6)"],
)  # fmt: skip
def test_failed_call_leaves_the_tensor_as_it_was(lua: Lua, call: str) -> None:
    source = f"""
    local x = torch.range(1, 6):view(2, 3)
    local ok = pcall(function() return {call} end)
    print(ok, x:size(1), x:size(2), x:sum(), x:stride(1), x[2][3])
    """
    assert lua(source) == "false\t2\t3\t21\t3\t6\n"


# The stride of a dimension of size 1 means nothing, and must not be used as a step.
def test_strides_of_single_positions_mean_nothing(lua: Lua) -> None:
    source = """
    local x = torch.range(1, 12):view(3, 1, 4):transpose(1, 2)
    print(table.concat(x:index(1, torch.LongTensor{1, 1}):sum(1):view(-1):totable(), ' '))
    local s = torch.zeros(9):storage()
    local r = torch.Tensor(s, 1, torch.LongStorage{1, 3, 1}, torch.LongStorage{3, 1, 3})
    torch.cumsum(r, torch.ones(1, 3, 1), 2)
    print(table.concat(s:totable(), ' '))
    """
    assert lua(source) == "2 4 6 8 10 12 14 16 18 20 22 24\n1 2 3 0 0 0 0 0 0\n"


def test_write_to_overlapping_places(lua: Lua) -> None:
    assert (
        lua("local x = torch.range(1, 5) x:narrow(1, 2, 4):copy(x:narrow(1, 1, 4)) print(x:sum())") == "11\n"
    )


def test_tables_of_numbers(lua: Lua) -> None:
    assert lua(
        "print(torch.Tensor{{1, 2}, {3, 4}}:sum(), torch.Tensor{'1', '2'}[2], torch.Tensor{}:dim())"
    ) == ("10\t2\t0\n")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("torch.Tensor{{1, 2}, {3}}", "the table is ragged: there must be 2 elements in element [2] (got 1)"),
        ("torch.Tensor{1, {2}}", "element [2] must be a number (got table)"),
        ("torch.Tensor(3)[4]", "index 4 out of range: dimension 1 of tensor [3] has size 3"),
        ("torch.Tensor(2, 3)[{1, 4}]", "index 4 out of range: dimension 2 of tensor [2x3] has size 3"),
        ("torch.Tensor(2, 3)[{1, 1, 1}]", "too many indices: 3 given for tensor [2x3] of 2 dimensions"),
        ("torch.Tensor()[1]", "an empty tensor cannot be indexed"),
        ("torch.Tensor(2, 3):narrow(3, 1, 1)", "dimension 3 out of range of 2D tensor [2x3]"),
        ("torch.Tensor(2, 3):view(4, 2)", "view: wrong size: tensor [2x3] of 6 elements as [4x2]"),
        ("torch.Tensor(2, 3):t():view(6)", "view: self must be contiguous"),
        ("torch.Tensor(1):view(torch.LongStorage())", "view: wrong size: tensor [1] of 1 elements as []"),
        (
            "torch.Tensor(1):reshape(torch.LongStorage())",
            "reshape: wrong size: tensor [1] of 1 elements as []",
        ),
        ("torch.Tensor(6):reshape(-2, -3)", "reshape: wrong size: tensor [6] of 6 elements as [-2x-3]"),
        ("torch.Tensor(2, 3):expand(4, 3)", "dimension 1 of tensor [2x3] cannot become 4"),
        (
            "torch.Tensor(2):copy(torch.Tensor(3))",
            "copy: inconsistent tensor sizes: [2] of 2 elements and source [3] of 3",
        ),
        ("torch.Tensor(2):apply(3)", "apply: argument 1 must be a function (got 3)"),
        ("torch.Tensor(2):apply({})", "apply: argument 1 must be a function (got table)"),
        ("torch.Tensor(2) + {}", "'+': operands must be a torch.DoubleTensor and a number"),
        ("torch.Tensor(2) ^ 2", "both torch.DoubleTensor and number have no power operator"),
        ("torch.Tensor(2)(1)", "torch.DoubleTensor has no call operator"),
        ("torch.Tensor(2):size() + 1", "both torch.LongStorage and number have no addition operator"),
        ("'x' .. torch.Tensor(2):size()", "both string and torch.LongStorage have no concat operator"),
        ("#torch.Generator()", "torch.Generator has no length operator"),
        # What is not set is not left out.
        ("torch.Tensor(nil)", "torch.DoubleTensor: argument 1 must be a number (got nil)"),
        ("torch.FloatTensor(2, nil)", "torch.FloatTensor: argument 2 must be a number (got nil)"),
        ("torch.zeros(2, nil)", "zeros: invalid arguments: number nil; expected [tensor] sizes"),
        (
            "torch.zeros(torch.LongStorage{2}, 3, 'torch.IntTensor')",
            "zeros: invalid arguments: LongStorage number string",
        ),
        ("torch.zeros(torch.LongStorage{2}, 2)", "zeros: invalid arguments: LongStorage number; expected"),
        ("torch.ones(2, 3):sum(nil)", "sum: invalid arguments: DoubleTensor[2x3] nil; expected"),
        ("torch.max(torch.ones(2), nil)", "max: invalid arguments: DoubleTensor[2] nil; expected"),
        ("torch.ones(2):add(torch.ones(2), nil)", "DoubleTensor[2] DoubleTensor[2] nil; expected"),
        ("torch.range(1, 3, nil)", "range: invalid arguments: number number nil; expected"),
        ("torch.uniform(nil)", "uniform: invalid arguments: nil; expected"),
        ("torch.HalfTensor(2):sum(nil)", "sum: invalid arguments: HalfTensor[2] nil; expected"),
        ("torch.ones(2):add(1, 2, 3, 4, 5, 6, 7, 8, 9)", "number number number number; expected"),
        ("torch.ones(2, 3):resize(2, nil)", "resize: argument 2 must be a number (got nil)"),
        ("torch.ones(2):set(nil)", "set: argument 1 must be a number (got nil)"),
        ("torch.ones(2):set(torch.Storage(4), nil)", "set: argument 2 must be a number (got nil)"),
        ("torch.Tensor{{}}", "element [1] must be a number (got an empty table)"),
        ("'x' - torch.HalfTensor(2)", "'-': operands must be a torch.HalfTensor and a number"),
        ("torch.Tensor.__sub__(1, 2)", "'-': operands must be a torch.DoubleTensor and a number"),
        (
            "torch.HalfTensor(2)[torch.ByteTensor(3)]",
            "maskedSelect: inconsistent tensor sizes: source [2] of 2 elements and mask [3] of 3",
        ),
        (
            "torch.ByteTensor()[torch.LongStorage()]",
            "torch.ByteTensor: 0 indices given for tensor [] of 0 dimensions",
        ),
        (
            "torch.LongTensor(torch.ones(2))",
            "must be a number, table, torch.LongTensor or torch.LongStorage (got torch.DoubleTensor)",
        ),
        (
            "torch.Tensor('abc')",
            "must be a number, table, torch.DoubleTensor, torch.DoubleStorage or torch.LongStorage",
        ),
        (
            "torch.ones(3, 3):gather(1, torch.LongTensor{{1, 2}})",
            "indices [1x2] differ from tensor [3x3] in dimension 2",
        ),
        (
            "torch.ones(3, 3):scatter(2, torch.LongTensor{{1, 2}}, 1)",
            "indices [1x2] differ from tensor [3x3] in dimension 1",
        ),
        (
            "torch.ones(3, 3):scatter(2, torch.ones(4, 1):long(), torch.ones(4, 1))",
            "indices [4x1] reach beyond tensor [3x3] in dimension 1",
        ),
        # Torch7 took texts of numbers on the right alone.
        ("'2' + torch.ones(2)", "'+': operands must be a torch.DoubleTensor and a number, or two"),
        ("'2' - torch.ones(2)", "'-': operands must be a torch.DoubleTensor and a number, or two"),
        ("'2' * torch.ones(2)", "'*': operands must be a torch.DoubleTensor and a number, or two"),
        (
            "torch.ones(4, 1):indexCopy(1, torch.LongTensor{2}, torch.ones(1))",
            "source [1] does not fit 1 indices along dimension 1 of tensor [4x1]",
        ),
        (
            "torch.ones(4):indexAdd(1, torch.LongTensor{2, 1}, torch.ones(2, 1))",
            "source [2x1] does not fit 2 indices along dimension 1 of tensor [4]",
        ),
        # The reach of the last one is infinity times 0.
        ("torch.zeros(2^40, 2^40)", "not enough memory for elements that reach over"),
        ("torch.zeros(torch.Tensor(2), 1, 1e300, 2^52, 1e300)", "elements that reach over inf"),
        ("torch.rand(2, nil, 3)", "rand: invalid arguments: number nil number; expected [tensor] sizes"),
        ("torch.rand()", "rand: invalid arguments: no arguments; expected [tensor] sizes"),
    ],
)
def test_errors_say_what_is_wrong(engine: Engine, source: str, message: str) -> None:
    result = engine.execute(f"local r = {source} return r")
    assert not result.ok
    assert result.message.startswith("stdin:1: ") and message in result.message


def test_texts_are_numbers_on_the_right(lua: Lua) -> None:
    # As in Torch7.
    source = "local x = torch.ones(2) print((x + '2')[1], (x - '2')[1], (x * '2')[1], (x / '2')[1])"
    assert lua(source) == "3\t-1\t2\t0.5\n"


def test_programs_may_redefine_lua(lua: Lua) -> None:
    source = """
    local kept = { type = type, next = next, select = select, tonumber = tonumber, load = load }
    for name in pairs(kept) do _G[name] = nil end
    local ok, what = pcall(function()
       local x = torch.ShortTensor{{1, 2}, {3, 4}}
       return x:t():clone()[{2, 1}] + torch.zeros(2, 2):add(1):sum() + #x:storage()
    end)
    for name, f in pairs(kept) do _G[name] = f end
    print(ok, what)
    """
    assert lua(source) == "true\t10\n"


SIZES = ["4", "2, 3", "2, 3, 4", "2, 1, 3, 2", "2, 1, 2, 1, 3", "3, 0, 2", "0", "2, 2, 0", "-1"]
MAKERS = ["torch.Tensor(S)", "torch.zeros(S)", "torch.Tensor(2, 2):resize(S)", "torch.rand(S)"]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("make", MAKERS)
def test_sizes_of_any_number(lua: Lua, make: str, sizes: str) -> None:
    """Sizes end before the first that is not positive; strides are row by row."""
    used: list[int] = []
    for text in sizes.split(", "):
        if int(text) < 1:
            break
        used.append(int(text))
    expected = [int(np.prod(used[k + 1 :])) for k in range(len(used))]
    source = f"""
    local x = {make.replace("S", sizes)}
    for d = 1, x:dim() do io.write(x:size(d), ' ', x:stride(d), ' ') end
    print(x:nElement())
    """
    written = "".join(f"{size} {stride} " for size, stride in zip(used, expected, strict=True))
    assert lua(source) == f"{written}{int(np.prod(used)) if used else 0}\n"


@pytest.mark.parametrize("sizes", ["2^64, 1", "2^40, 2^40", "torch.LongStorage{2^40, 2^40}"])
def test_more_elements_than_can_be_counted(engine: Engine, sizes: str) -> None:
    result = engine.execute(f"return torch.ones(1, 1):expand({sizes})")
    assert "expand: there can be at most 2^53 elements" in result.message


def test_elements_take_numbers_and_rows_take_tensors(lua: Lua) -> None:
    source = """
    local x = torch.zeros(2, 2)
    x[1][2] = torch.ones(1)
    x[{2, {1}}] = torch.ones(1) * 2
    x[{2, 2}] = '3'
    for _, place in ipairs { {1, 1}, torch.LongStorage{1, 1} } do
       print(pcall(function() x[place] = torch.ones(1) end))
    end
    print(table.concat(x:view(4):totable(), ' '))
    """
    wrong = "false\ttest:7: torch.DoubleTensor: the element must be a number (got torch.DoubleTensor)\n"
    assert lua(source) == 2 * wrong + "0 1 2 3\n"


def test_other_keys_are_nil(lua: Lua) -> None:
    source = "local x = torch.ones(3) print(x[torch.LongTensor{1}], x[true], x[nil], x[print], x.nothing)"
    assert lua(source) == "nil\tnil\tnil\tnil\tnil\n"


def test_views_that_change_nothing(lua: Lua) -> None:
    source = """
    local x = torch.ones(1, 3)
    print(x:permute(1, 2) == x, x:permute(2, 1) == x)
    print(table.concat(x:expand(1, 3):stride():totable(), ' '), x:expand(1, 3):isContiguous())
    """
    assert lua(source) == "true\tfalse\n0 1\ttrue\n"


def test_a_type_may_follow_sizes(lua: Lua) -> None:
    source = """
    local sizes, kind = torch.LongStorage{2, 3}, 'torch.IntTensor'
    print(torch.zeros(sizes, kind):type(), torch.ones(2, kind):type())
    print(torch.Tensor(sizes, nil):dim(), torch.Tensor(torch.ones(2), nil):dim(), #torch.Storage(nil))
    """
    assert lua(source) == "torch.IntTensor\ttorch.IntTensor\n2\t1\t0\n"


@pytest.mark.parametrize(
    "change",
    [
        "x:set(torch.ones(3, 4))",
        "torch.squeeze(x, torch.ones(3, 1, 4))",
        "x:set(torch.ones(12):storage(), 1, 3, 4, 4, 1)",
    ],
)
def test_views_after_more_than_four_dimensions(lua: Lua, change: str) -> None:
    """The sizes of five dimensions have a buffer of their own, which the next ones must leave."""
    source = f"""
    local x = torch.Tensor(2, 2, 2, 2, 2)
    {change}
    local narrow = x:narrow(1, 2, 2)
    print(x[1]:nElement(), narrow:nElement(), narrow:stride(1), x:view(12):sum(), x:contiguous()[2]:sum())
    x:set(x:select(1, 1))
    x:fill(7)
    print(x:nElement(), x:clone():sum(), torch.cat(x, x):nElement())
    """
    assert lua(source) == "4\t8\t4\t12\t4\n4\t28\t8\n"


def test_a_failing_set_loses_nothing(lua: Lua) -> None:
    source = """
    local x = torch.Tensor{1, 2}
    print(pcall(x.set, x, torch.LongStorage{2}, 'q'))
    print(x:nElement(), x:sum())
    """
    message, kept = lua(source).splitlines()
    assert "set: argument 2 must be" in message
    assert kept == "2\t3"


@pytest.mark.parametrize("kind", ["Byte", "Int", "Long"])
@pytest.mark.parametrize(
    "change",
    ["x[1] = 'abc'", "x[{1, 1}] = 'abc'", "x[{{}, 2}] = 'abc'", "x[x:gt(1)] = 'abc'", "x:fill('abc')"],
)
def test_text_that_is_no_number_is_refused(lua: Lua, kind: str, change: str) -> None:
    source = f"""
    local x = torch.{kind}Tensor{{{{1, 2}}, {{3, 4}}}}
    print((pcall(function() {change} end)), x:sum())
    x[1] = '7'
    print(x[1][2])
    """
    assert lua(source) == "false\t10\n7\n"


def test_a_result_of_one_element_is_computed_repeatedly(lua: Lua) -> None:
    """In place on an expanded tensor, as the original does: 256 and more elements are computed in blocks."""
    for width in (3, 300):
        source = f"""
        local function wide() return torch.DoubleTensor{{0.5}}:view(1, 1):expand(2, {width}) end
        local o = torch.DoubleTensor(2, {width}):fill(2)
        print(('%.12g %.12g %.12g'):format(wide():sin()[1][1], wide():atan()[1][1], wide():cpow(o)[1][1]))
        print(('%.12g'):format(torch.sin(wide(), o)[1][1]))
        """
        sine = arc = power = 0.5
        for _ in range(2 * width):
            sine, arc, power = math.sin(sine), math.atan(arc), power**2
        expected = [f"{sine:.12g} {arc:.12g} {power:.12g}", f"{math.sin(2):.12g}"]
        assert lua(source).splitlines() == expected


@pytest.mark.parametrize(("kind", "least"), [("Int", -(2**31)), ("Short", 0), ("Byte", 0)])
def test_numbers_beyond_32_bits(lua: Lua, kind: str, least: int) -> None:
    """As the original on x86-64. What a function returns wraps around there, as LuaJIT stores it."""
    source = f"""
    local of = torch.{kind}Tensor
    local function one() return of(1):fill(3) end
    local x, storage = one(), torch.{kind}Storage(1)
    x[1], storage[1] = 1e10 + 7, -1e10
    local converted = torch.DoubleTensor{{ 2^35 + 9 }}:type(of():type())
    print(x[1], storage[1], one():fill(2^32 + 1)[1], of{{ 2^33 + 5 }}[1], converted[1])
    x[of{{ 3 }}:eq(3)] = 1 / 0
    print(x[1], one():maskedFill(one():eq(3), 0 / 0)[1], one():fill(10):cpow(of{{ 10 }})[1])
    local y = one():map(one(), function(a, b) return a - b * 2^33 end)
    print(one():apply(function(v) return v + 2^32 end)[1], y[1])
    """
    lines = [[str(least)] * 5, [str(least)] * 3, ["3", "3"]]
    assert lua(source) == "".join("\t".join(line) + "\n" for line in lines)
