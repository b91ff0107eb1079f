"""Orders of dimensions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime

Lua = Callable[[str], str]


def test_reshape_completes_one_size(lua: Lua) -> None:
    """Rows of a transposed tensor, as NumPy's reshape gives them."""
    lua("""
        local x = torch.range(1, 12):view(3, 4)
        local function sizes(t) return table.concat(t:size():totable(), 'x') end
        assert(sizes(x:reshape(-1)) == '12' and sizes(x:reshape(2, -1, 3)) == '2x2x3')
        assert(x:t():reshape(-1, 6)[2][1] == 3)
        local r = torch.Tensor()
        assert(r:reshape(x, torch.LongStorage{4, -1}) == r and r[4][3] == 12)
        for _, wrong in ipairs{ {-1, 5}, {-1, -1}, {0, -1}, {-12}, {-1, -12} } do
           local fine, why = pcall(x.reshape, x, unpack(wrong))
           assert(not fine and why:find('reshape: ', 1, true))
        end
        assert(torch.Tensor():reshape(-1):dim() == 0)
    """)


def test_all_orders_of_dimensions(lua: Lua) -> None:
    lua("""
        -- Every element by its indices, for which nothing is copied.
        local function check(r, x)
           if x:dim() == 1 then
              for i = 1, x:size(1) do assert(r[i] == x[i]) end
           else
              for i = 1, x:size(1), x:size(1) > 4 and 3 or 1 do check(r[i], x[i]) end
           end
        end
        for _, sizes in ipairs{
           {2, 3, 4}, {9, 3, 12}, {3, 30, 33}, {2, 3, 4, 5}, {3, 9, 2, 16}, {30, 3, 20, 20}
        } do
           local dims = #sizes
           for first = 1, dims do
              for second = first, dims do
                 local x = torch.FloatTensor(torch.LongStorage(sizes))
                 local n = 0
                 x:apply(function() n = n + 1 return n end)
                 x = x:transpose(first, second):transpose(2, dims)
                 check(x:clone(), x)
                 check(torch.DoubleTensor(x:size()):copy(x), x)
                 local turned = torch.FloatTensor(torch.LongStorage(sizes)):transpose(2, dims)
                 turned:copy(x)
                 check(turned:contiguous():view(-1), x:contiguous():view(-1))
                 check(x:narrow(1, 2, x:size(1) - 1):clone(), x:narrow(1, 2, x:size(1) - 1))
              end
           end
        end
    """)


def test_repeats_of_large_tensors() -> None:
    runtime = Runtime()
    x = np.random.default_rng(1).random((20, 300))
    runtime.globals()["x"] = x
    source = """
       return x:repeatTensor(3, 2), x:t():repeatTensor(2, 1), x:repeatTensor(2, 1, 3),
          x[1]:repeatTensor(4, 1)"""
    pair, turned, three, rows = (np.asarray(value) for value in runtime.execute(source))
    np.testing.assert_array_equal(pair, np.tile(x, (3, 2)))
    np.testing.assert_array_equal(turned, np.tile(x.T, (2, 1)))
    np.testing.assert_array_equal(three, np.tile(x, (2, 1, 3)))
    np.testing.assert_array_equal(rows, np.tile(x[0], (4, 1)))


def test_squeeze_of_one_element_into_a_result(lua: Lua) -> None:
    """The original returns the number, and gives it to the result as well."""
    source = """
    for _, x in ipairs{ torch.Tensor{7}, torch.Tensor{{7}}, torch.Tensor(1, 1, 1, 1, 1):fill(7) } do
       local r = torch.Tensor(5)
       print(torch.squeeze(r, x), r:dim(), r[1])
    end
    local r = torch.Tensor(5)
    print(torch.squeeze(r, torch.Tensor{7}, 1), r:dim(), torch.squeeze(r, torch.Tensor{{7}}, 1):dim())
    """
    assert lua(source) == "7\t1\t7\n" * 3 + "7\t1\t1\n"


def test_strides_of_one_element_that_is_squeezed_into_a_result(lua: Lua) -> None:
    """1 where all dimensions go, as in the original; a vector keeps its stride in its own dimension."""
    source = """
    local r, column = torch.Tensor(), torch.Tensor(2, 3):select(2, 1):narrow(1, 1, 1)
    torch.squeeze(r, column)
    local all = r:stride(1)
    torch.squeeze(r, column, 1)
    print(all, r:stride(1))"""
    assert lua(source) == "1\t3\n"


def test_chunks_by_a_number_with_a_fraction(lua: Lua) -> None:
    """As in Torch7, each has the size divided by the number, rounded up."""
    source = """
    for _, n in ipairs{2.5, 1.5, 2, 9} do
       local parts = torch.range(1, 5):chunk(n)
       print(#parts, parts[1]:size(1), parts[#parts]:size(1))
    end
    for _, n in ipairs{0, 0 / 0, 1 / 0} do print((pcall(torch.chunk, torch.ones(3), n))) end
    """
    assert lua(source) == "3\t2\t1\n2\t4\t1\n2\t3\t2\n5\t1\t1\n" + "false\n" * 3


def test_repeats_into_a_result_of_another_type(lua: Lua) -> None:
    """What Torch7 gave: elements are converted."""
    source = """
    local function show(x)
       print(torch.type(x), table.concat(x:size():totable(), 'x'), table.concat(x:view(-1):totable(), ' '))
    end
    local r = torch.FloatTensor()
    show(torch.repeatTensor(r, torch.IntTensor{1, 2}, 2, 2))
    show(torch.repeatTensor(torch.IntTensor(3), torch.Tensor{{1.5, -2.7}}, torch.LongStorage{1, 2}))
    show(r:repeatTensor(torch.range(1, 2):view(2, 1):t(), 1, 1))
    """
    assert lua(source).splitlines() == [
        "torch.FloatTensor\t2x4\t1 2 1 2 1 2 1 2",
        "torch.IntTensor\t1x4\t1 -2 1 -2",
        "torch.FloatTensor\t1x2\t1 2",
    ]


EMPTIED = "torch.Tensor(3):resize(0)"


@pytest.mark.parametrize("call", [
    "view(none)", "view(-1)", "view(0)", "viewAs(torch.Tensor())", "expand(none)",
    "expandAs(torch.FloatTensor())", "permute()", "isSetTo(x) and x", "isSetTo(torch.Tensor(x)) and x",
])  # fmt: skip
def test_views_of_an_emptied_tensor(lua: Lua, call: str) -> None:
    # As in Torch7, where an empty tensor without memory has none.
    values = f"local x, none = {EMPTIED}, torch.LongStorage()"
    assert lua(f"{values} local v = x:{call} print(v:dim(), v:storage() ~= nil)") == "0\ttrue\n"
    values = "local x, none = torch.Tensor(), torch.LongStorage()"
    works = "false" if call.startswith(("view", "expand")) else "true"
    assert lua(f"{values} print((pcall(function() return x:{call} end)))") == f"{works}\n"


def test_nothing_is_reshaped_to_nothing(lua: Lua) -> None:
    # As in Torch7.
    assert lua("print(torch.Tensor():reshape(torch.LongStorage()):dim())") == "0\n"
    assert lua("print((pcall(torch.reshape, torch.ones(1), torch.LongStorage())))") == "false\n"


@pytest.mark.parametrize(("call", "message"), [
    ("reshape(sizes, 1)", "reshape: argument 2 must be absent after a torch.LongStorage (got 1)"),
    ("view(sizes, 1)", "view: argument 2 must be absent after a torch.LongStorage (got 1)"),
    ("view('6')", "view: argument 1 must be a number or torch.LongStorage (got a string)"),
    ("expand('2', 3)", "expand: argument 1 must be a number or torch.LongStorage (got a string)"),
    ("repeatTensor(2, '2')", "repeatTensor: argument 2 must be a number or torch.LongStorage (got a string)"),
    ("permute('2', 1)", "permute: argument 1 must be a number (got '2')"),
    ("squeeze(1, 2)", "squeeze: argument 2 must be absent (got 2)"),
    ("squeeze(x, 1, 'x')", "squeeze: argument 3 must be absent (got 'x')"),
    ("type(x.new('3'))", "torch.DoubleTensor: argument 1 must be a number, table, torch.DoubleTensor, "),
])  # fmt: skip
def test_arguments_that_are_no_sizes(lua: Lua, call: str, message: str) -> None:
    # Each is an error in Torch7.
    values = "local x, sizes = torch.ones(2, 3), torch.LongStorage{3, 2}"
    assert message in lua(f"{values} print(pcall(function() return x:{call} end))")


def test_an_order_of_dimensions_may_end_in_nil(lua: Lua) -> None:
    # As in Torch7, as sizes of views may.
    source = "local x = torch.ones(2, 3) print(x:permute(2, 1, nil):size(1), x:view(6, nil):dim())"
    assert lua(source) == "3\t1\n"
