"""Names of dimensions: given, asked for, and carried through what is done with tensors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from t7shell import Runtime
from t7shell.engine.engine import Engine
from tests.lua_output import printer

Lua = Callable[[str], str]

SETUP = """
function n(t) return type(t) == 'number' and 'number' or table.concat(t:names(), ' ') end
x = torch.range(1, 24):view(2, 3, 4):setNames('a', 'b', 'c')
m = torch.range(1, 6):view(2, 3):setNames('a', 'b')
p = torch.range(1, 12):view(3, 4)
i = torch.LongTensor { 2, 1 }
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    """An engine of the module's own: names change how all operations are made."""
    made = Engine()
    assert made.execute(SETUP).ok
    return made


@pytest.fixture
def lua(engine: Engine) -> Lua:
    return printer(engine)


RESULTS = [
    # Views.
    ("x:narrow('b', 1, 2)", "a b c"),
    ("x:sub(1, 1, 2, 3)", "a b c"),
    ("x:select('b', 1)", "a c"),
    ("x:select(-1, 1)", "a b"),
    ("x:transpose('a', 'c')", "c b a"),
    ("x:transpose(1, -2)", "b a c"),
    ("m:t()", "b a"),
    ("x:permute('c', 'a', 'b')", "c a b"),
    ("x:permute(3, -3, 2)", "c a b"),
    ("x:unfold('c', 2, 1)", "a b c _"),
    ("x:narrow('a', 1, 1):squeeze()", "b c"),
    ("x:narrow('a', 1, 1):squeeze('a')", "b c"),
    ("x:narrow('a', 1, 1):squeeze('b')", "a b c"),
    ("torch.squeeze(torch.Tensor(), x:narrow('b', 1, 1))", "a c"),
    ("x:unsqueeze(1)", "_ a b c"),
    ("x:unsqueeze(2)", "a _ b c"),
    ("x:unsqueeze(-1)", "a b c _"),
    ("x:unsqueeze(-2)", "a b _ c"),
    ("x:narrow('c', 1, 1):expand(2, 3, 7)", "a b c"),
    ("torch.Tensor():expand(x:narrow('c', 1, 1), 2, 3, 7)", "a b c"),
    ("x:narrow('c', 1, 1):expandAs(x)", "a b c"),
    ("torch.zeros(2, 3):repeatTensor(m, 2, 2, 1)", "_ a b"),
    ("x:view(2, 3, 4)", "a b c"),
    ("x:view(6, 4)", "_ _"),
    ("x:viewAs(torch.zeros(6, 4))", "_ _"),
    ("x:reshape(4, 3, 2)", "_ _ _"),
    ("x:flatten()", "_"),
    ("x:flatten('b', 'c')", "a _"),
    ("x:flatten(2, 2)", "a b c"),
    ("x:split(2, 'b')[2]", "a b c"),
    ("x:chunk(2, 'c')[1]", "a b c"),
    # Elements.
    ("x[1]", "b c"),
    ("x[{1, {}, 2}]", "b"),
    ("x[{{1}, 2}]", "a c"),
    ("x[{'...', 1}]", "a b"),
    ("x[{'...', {1, -1, 2}}]", "a b c"),
    ("x[{1, 2, 3}]", "number"),
    ("x[x:gt(3)]", "_"),
    # Copies.
    ("x:clone()", "a b c"),
    ("x:transpose(1, 2):contiguous()", "b a c"),
    ("x:float()", "a b c"),
    ("x:type('torch.LongTensor')", "a b c"),
    ("x:half():double()", "a b c"),
    ("torch.Tensor(x)", "a b c"),
    ("torch.Tensor():set(x)", "a b c"),
    ("torch.zeros(2, 3, 4):copy(x)", "a b c"),
    ("torch.zeros(24):copy(x)", "_"),
    # Element by element.
    ("x + 1", "a b c"),
    ("1 - x", "a b c"),
    ("-x", "a b c"),
    ("x + torch.ones(2, 3, 4)", "a b c"),
    ("torch.ones(2, 3, 4):setNames('_', 'b', '_'):cmul(x)", "a b c"),
    ("torch.add(torch.Tensor(), x, 1)", "a b c"),
    ("torch.ones(2, 3):add(m)", "a b"),
    ("torch.ones(6):add(m)", "_"),
    ("torch.ones(3, 2):add(m)", "_ _"),
    ("m:clone():add(torch.ones(6))", "a b"),
    ("torch.zeros(3, 2):copy(m)", "_ _"),
    ("torch.where(torch.ByteTensor(6):fill(1), m, 2)", "a b"),
    ("torch.where(m:gt(2), 1, 2)", "a b"),
    ("torch.where(m:gt(2), torch.ones(3, 2), 2)", "_ _"),
    ("torch.addcmul(m, 2, m, torch.ones(2, 3))", "a b"),
    ("x:gt(3)", "a b c"),
    ("torch.exp(x)", "a b c"),
    ("x:half():exp()", "a b c"),
    ("torch.where(x:gt(3), x, 0)", "a b c"),
    ("torch.zeros(2, 3):where(torch.ByteTensor(2, 3):fill(1), m, 2)", "a b"),
    ("torch.cumsum(x, 'c')", "a b c"),
    ("m:clone():uniform()", "a b"),
    ("m:clone():fill(3)", "a b"),
    ("torch.tril(m)", "a b"),
    # Reductions.
    ("x:sum('b')", "a b c"),
    ("x:sum('b', false)", "a c"),
    ("torch.mean(torch.Tensor(), x, 'c', false)", "a b"),
    ("x:max('a')", "a b c"),
    ("select(2, x:max('a', false))", "b c"),
    ("select(2, x:sort('b'))", "a b c"),
    ("x:norm(2, 'a')", "a b c"),
    ("x:median('b', false)", "a c"),
    ("x:topk(2, 'c')", "a b c"),
    ("x:std('a', false, false)", "b c"),
    ("x:half():sum('a', false)", "b c"),
    ("torch.histc(m)", "_"),
    # Picking.
    ("x:index('b', i)", "a b c"),
    ("m:gather('b', torch.LongTensor(2, 3):fill(1))", "a b"),
    ("m:clone():indexFill('b', i, 0)", "a b"),
    ("m:clone():scatter('b', torch.LongTensor(2, 3):fill(1), 7)", "a b"),
    ("m:nonzero()", "_ _"),
    # Joining.
    ("torch.cat(x, x, 'b')", "a b c"),
    ("torch.cat({torch.ones(2, 3), m}, 'a')", "a b"),
    ("torch.stack({m, m})", "_ a b"),
    ("torch.stack({m, m}, -1)", "a b _"),
    ("torch.stack(m, m, 2)", "a _ b"),
    # Products.
    ("torch.mm(m, p)", "a _"),
    ("torch.mm(m, p:rename('k', 'l'))", "a l"),
    ("m * torch.ones(3):setNames('z')", "a"),
    ("torch.ger(torch.ones(2):setNames('q'), torch.ones(3))", "q _"),
    ("torch.bmm(torch.ones(2, 3, 4):setNames('q', 'r', 's'), torch.ones(2, 4, 5))", "q r _"),
    ("torch.ones(2, 4):addmm(m, p:rename('b', 'c'))", "a c"),
    ("torch.addmv(torch.ones(2), m, torch.ones(3))", "a"),
    ("torch.einsum('abc,ab->ca', x, m)", "c a"),
    ("torch.einsum('...c,c', x, torch.ones(4))", "a b"),
    ("torch.einsum(torch.Tensor(), 'ij->ji', {m})", "b a"),
    # What no rule is known for.
    ("torch.inverse(torch.eye(2):setNames('a', 'b'))", "_ _"),
    ("torch.conv2(torch.ones(4, 4):setNames('a', 'b'), torch.ones(2, 2))", "_ _"),
    ("torch.diag(torch.ones(2):setNames('a'))", "_ _"),
    # Names by names.
    ("torch.ones(1, 2, 3):refineNames('...', 'c')", "_ _ c"),
    ("m:refineNames('a', '...')", "a b"),
    ("m:rename{a = 'A'}", "A b"),
    ("m:rename('u', '_')", "u _"),
    ("m:rename()", "_ _"),
    ("x:alignTo('c', '...')", "c a b"),
    ("m:alignTo('b', 'z', 'a')", "b z a"),
    ("torch.ones(3):setNames('b'):alignAs(x)", "a b c"),
    ("m:clone():setNames('...', 'z')", "a z"),
    ("m:clone():setNames{'r', 's'}", "r s"),
    ("m:clone():setNames()", "_ _"),
    ("torch.Tensor():setNames()", ""),
]


@pytest.mark.parametrize(("source", "expected"), RESULTS, ids=[source for source, _ in RESULTS])
def test_names_of_results(lua: Lua, source: str, expected: str) -> None:
    assert lua(f"print(n(({source})), n(x), n(m), n(p))") == f"{expected}\ta b c\ta b\t_ _\n"


def test_values_are_those_without_names(lua: Lua) -> None:
    for source, _ in RESULTS:
        if "uniform" in source or "alignTo" in source or "names" in source.lower() or "rename" in source:
            continue
        plain = source
        for letter, number in (("'a'", "1"), ("'b'", "2"), ("'c'", "3")):
            plain = plain.replace(letter, number)
        program = f"""
        local with = {source}
        local function plain(x, m) return {plain} end
        local without = plain(x:rename(), m:rename())
        if torch.isTensor(with) then assert(with:equal(without) and with:type() == without:type())
        else assert(with == without) end
        """
        assert lua(program) == "", source


def test_sizes_by_name_and_footer(lua: Lua) -> None:
    assert lua("print(x:size('b'), x:stride('a'), x:shape('c'), x:size()[1])") == "3\t12\t4\t2\n"
    assert lua("io.write(tostring(m:narrow('b', 1, 2)))").endswith(
        "[torch.DoubleTensor of dimension 2x2, names a x b]\n"
    )


GIVEN = [
    ("torch.sum(r, m, 1)", "a b"),
    ("torch.sum(r, m, 'b', false)", "a"),
    ("torch.add(r, p, 1)", "_ _"),
    ("torch.mm(r:resize(2, 4), m, p)", "a _"),
    ("r:zeros(3, 3)", "_ _"),
    ("r:full({2, 3}, 1)", "_ _"),
    ("torch.randn(r, 2, 3)", "_ _"),
    ("torch.range(r, 1, 6)", "_ _"),
    ("r:resize(3, 2)", "_ _"),
    ("r:resize(2, 3)", "q r"),
    ("r:resizeAs(p)", "_ _"),
    ("r:set()", ""),
    ("r:set(torch.DoubleStorage(6), 1, 2, 3, 3, 1)", "_ _"),
    ("torch.cat(r, m, m, 1)", "a b"),
    ("torch.diag(r, torch.ones(3))", "_ _"),
    ("torch.inverse(r, torch.eye(2))", "_ _"),
    ("r:view(m, 3, 2)", "_ _"),
    ("r:squeeze(m)", "a b"),
    ("torch.topk(r, torch.LongTensor(), m, 2, 'b')", "a b"),
    ("r:bernoulli()", "q r"),
]


@pytest.mark.parametrize(("source", "expected"), GIVEN)
def test_a_result_that_is_given_gets_the_names(lua: Lua, source: str, expected: str) -> None:
    assert lua(f"local r = torch.zeros(2, 3):setNames('q', 'r') {source} print(n(r))") == f"{expected}\n"


ERRORS = [
    ("m + torch.ones(2, 3):setNames('b', 'a')", "add: names do not agree: [a, b] and [b, a]"),
    ("m:clone():cmul(torch.ones(2, 3):setNames('_', 'a'))", "cmul: names do not agree: [a, b] and [_, a]"),
    ("torch.ones(6):setNames('k'):add(m)", "add: names do not agree: [k] and [a, b]"),
    ("m:clone():copy(torch.ones(2, 3):setNames('x', 'y'))", "copy: names do not agree"),
    ("torch.where(m:gt(1), m, torch.ones(2, 3):setNames('q', 'b'))", "where: names do not agree"),
    ("torch.cat(m, torch.ones(2, 3):setNames('b', 'a'), 1)", "cat: names do not agree"),
    ("torch.mm(m, p:rename('k', 'a'))", "mm: 'a' names dimensions 1 and 2: [a, a]; rename one"),
    ("torch.einsum('ij,jk', m, p:rename('z', 'c'))", "einsum: letter 'j' is named 'b' and 'z'"),
    ("torch.einsum('ij,jk', m, p:rename('b', 'a'))", "'a' names dimensions 1 and 2: [a, a]; rename one"),
    ("x:sum('q')", "sum: no dimension is named 'q' (got tensor with [a, b, c])"),
    ("p:sum('q')", "sum: no dimension is named 'q' (got tensor with [no names])"),
    ("x:select('q', 1)", "select: no dimension is named 'q'"),
    ("x:permute('a', 'b', 'a')", "invalid permutation"),
    ("x:size('_')", "size: no dimension is named '_'"),
    ("x:setNames('a')", "each of the 3 dimensions of tensor [2x3x4] must have a name (got [a])"),
    ("x:setNames('a', 'b', 'a')", "'a' names dimensions 1 and 3"),
    ("x:setNames('a', 'b', 'c d')", "names must be letters, digits and _"),
    ("x:setNames('a', 'b', 3)", "names must be letters, digits and _"),
    ("x:setNames('...', '...')", "cannot stand twice"),
    ("x:setNames('...', 'a', 'b', 'c', 'd')", "more names than dimensions"),
    ("m:refineNames('a', 'z')", "a name can be given, not changed or taken: [a, b] as [a, z]"),
    ("m:refineNames('_', 'b')", "a name can be given, not changed or taken"),
    ("m:rename{q = 'z'}", "rename: no dimension is named 'q'"),
    ("m:rename{a = 'b'}", "'b' names dimensions 1 and 2"),
    ("m:rename('u')", "each of the 2 dimensions of tensor [2x3] must have a name"),
    ("m:alignTo('a')", "no dimension for 'b': [a, b] to [a]"),
    ("m:alignTo('a', 'b', '_')", "names must not be '_'"),
    ("m:alignTo('...', 'a', '...')", "'...' once"),
    ("m:alignTo('a', 'a', 'b')", "'a' names dimensions 1 and 2"),
    ("p:alignTo('a', 'b')", "each dimension must have a name"),
    ("torch.Tensor():alignTo('a')", "alignTo: the tensor must not be empty"),
    ("torch.Tensor():alignAs(m)", "alignAs: the tensor must not be empty"),
    ("m:alignAs(p)", "the tensor must have names"),
    ("m:alignAs(3)", "must be a tensor (got 3)"),
    ("x.setNames('a')", "x:setNames"),
]


@pytest.mark.parametrize(("source", "message"), ERRORS, ids=[source for source, _ in ERRORS])
def test_names_that_do_not_fit_are_errors(engine: Engine, lua: Lua, source: str, message: str) -> None:
    result = engine.execute(f"local made = {source}")
    assert not result.ok and message in result.report()
    assert lua("print(n(x), n(m), n(p))") == "a b c\ta b\t_ _\n"


def test_a_refused_operation_changes_nothing(lua: Lua) -> None:
    program = """
        local y = m:clone()
        print(pcall(y.add, y, torch.ones(2, 3):setNames('b', 'a')), y:equal(m))
    """
    assert lua(program).endswith("true\n")


def test_names_follow_random_views_and_operations(lua: Lua) -> None:
    """Sizes are named by themselves, s2 to s5, so that a wrong name shows."""
    program = """
    local state = 1
    local function random(k) state = state * 48271 % 2147483647 return state % k + 1 end
    local function name_of(t) local list = t:names() return list[random(#list)] end
    local function dim(t)
       local name = name_of(t)
       if name ~= '_' and random(2) == 1 then return name end
       return random(2) == 1 and random(t:dim()) or -random(t:dim())
    end
    local steps = {
       function(t) return t:transpose(dim(t), dim(t)) end,
       function(t) return t:dim() > 1 and t:select(dim(t), 1) or t end,
       function(t) return t:narrow(dim(t), 1, 1) end,
       function(t) return t:dim() > 1 and t:squeeze() or t end,
       function(t) return t:squeeze(dim(t)) end,
       function(t) return t:dim() < 7 and t:unsqueeze(random(t:dim() + 1)) or t end,
       function(t) return t:dim() < 7 and t:unsqueeze(-random(t:dim() + 1)) or t end,
       function(t) return t:sum(dim(t), random(2) == 1) end,
       function(t) return (t:max(dim(t), random(2) == 1)) end,
       function(t) return (select(2, t:sort(dim(t)))):double() end,
       function(t) return t:cumsum(dim(t)) + t end,
       function(t) return t:clone():add(t:clone():rename()) end,
       function(t) return t:contiguous():view(t:size()) end,
       function(t) return t:float():double() end,
       function(t) return t[random(t:size(1))] end,
       function(t) return t[{ '...', 1 }] end,
       function(t) return t[{ { 1, -1 }, '...', { 1 } }] end,
       function(t) return t[{ '...', 1, {} }] end,
       function(t)
          local order, list = {}, {}
          for d = 1, t:dim() do order[d] = d end
          for d = t:dim(), 1, -1 do list[d] = table.remove(order, random(d)) end
          return t:permute(unpack(list))
       end,
       function(t) return t:dim() < 7 and torch.stack({ t, t }, random(t:dim() + 1)):narrow(1, 1, 1) or t end,
       function(t) return torch.where(t:gt(0), t, 1) end,
    }
    local kept = 0
    for round = 1, 400 do
       local t = torch.randn(2, 3, 4, 5):setNames('s2', 's3', 's4', 's5')
       for k = 1, 8 do
          local which = random(#steps)
          local fine, made = pcall(steps[which], t)
          if fine and torch.isTensor(made) and made:dim() > 0 then t = made
          elseif not fine then assert(made:find 'too many indices' or made:find 'range', which .. made) end
          for d, name in ipairs(t:names()) do
             local size = tonumber(name:match '^s(%d)$')
             assert(name == '_' or t:size(d) == size or t:size(d) == 1, which .. ': ' .. n(t))
             if size then kept = kept + 1 end
          end
       end
    end
    print(kept > 3000)
    """
    assert lua(program) == "true\n"


def test_broadcast_operands_are_united_from_the_last_dimension(lua: Lua) -> None:
    program = """
        torch.dialect('modern')
        local row, column = torch.ones(4):setNames('c'), torch.ones(2, 1, 1):setNames('a', '_', '_')
        print(n(x + row), n(row + x), n(column + row), n(x:clone():copy(row)))
        print(pcall(function() return x + torch.ones(4):setNames('b') end))
        torch.dialect('t7')
    """
    out = lua(program)
    assert out.startswith("a b c\ta b c\ta _ c\ta b c\nfalse")
    assert "add: names do not agree: [a, b, c] and [b]" in out


def test_names_come_when_they_are_first_used(fresh_lua: Lua) -> None:
    """Without names there is no layer; with them unnamed tensors behave as before."""
    program = """
        local layers = require 'torch.dispatch.layers'
        local x = torch.ones(2, 3)
        for i = 1, 100 do x:add(1) end
        local layer = package.loaded['torch.features.dimension_names.names_layer']
        print(layer, x:names()[1], pcall(x.sum, x, 'rows'))
        local y = x:clone():setNames('rows', 'columns')
        print(x:names()[1], y:sum('rows'):names()[2], (x + 1):names()[1], (y + 1):names()[1])
    """
    assert fresh_lua(program).splitlines()[0].startswith("nil\t_\tfalse")
    assert "_\tcolumns\t_\trows" in fresh_lua(program)


def test_devices_and_types(lua: Lua) -> None:
    program = """
        require 'cutorch'
        local c = x:cuda()
        local r = torch.CudaTensor(5):setNames('z')
        torch.sum(r, c, 'b', false)
        print(n(c), n(c + c), n(c:max('a', false)), n(c:select('b', 1)), n(r), n(c:double()), n(c[1]))
        for _, kind in ipairs { 'Float', 'Half', 'Long', 'Int', 'Short', 'Char', 'Byte' } do
           local t = m:type('torch.' .. kind .. 'Tensor')
           local h = torch.zeros(5):type('torch.' .. kind .. 'Tensor'):setNames('q')
           torch.sum(h, t, 'b', false)
           io.write(n(t + 1), ',', n(t:sum('a', false)), ',', n(t:t()), ',', n(h), ' ')
        end
    """
    expected = "a b c\ta b c\tb c\ta c\ta c\ta b c\tb c\n" + "a b,b,b a,a " * 7
    assert lua(program) == expected


def test_networks_take_tensors_with_names(lua: Lua) -> None:
    program = """
        local net = nn.Sequential():add(nn.Linear(3, 4)):add(nn.Tanh()):add(nn.Linear(4, 1))
        local out = net:forward(m)
        net:backward(m, torch.ones(2, 1))
        print(out:size(1), net:forward(m:rename()):equal(out))
    """
    assert lua("require 'nn' " + program) == "2\ttrue\n"


def test_names_of_arrays_in_python() -> None:
    runtime = Runtime()
    array = runtime.execute("return torch.ones(2, 3):setNames('a', '_') + 1")
    assert array.tolist() == [[2, 2, 2], [2, 2, 2]] and array.names == ("a", None)
    assert (array + 1).names is None and array[0].names is None
    names = runtime.execute("return function(x) x:fill(7) return table.concat(x:names(), ' ') end")
    assert names(array) == "a _" and array[0, 0] == 7
    assert names(array[:1]) == "_ _"
    array.names = ("a", "a")
    with pytest.raises(ValueError, match="'a' names dimensions 1 and 2"):
        names(array)
    assert type(runtime.execute("return torch.ones(2)")) is np.ndarray


def test_each_kernel_maker_has_a_rule(lua: Lua) -> None:
    program = """
    local rules, count = require 'torch.features.dimension_names.name_rules', 0
    for _, chapter in ipairs(require 'torch.ops.chapters') do
       for _, row in ipairs(require('torch.ops.' .. chapter[1])) do
          for i = 2, #row do
             assert(type(rules.of(row, row[i])) == 'function')
             count = count + 1
          end
       end
    end
    assert(count > 200, count)
    """
    assert lua(program) == ""


def test_a_kernel_factory_without_a_rule_is_an_error(lua: Lua) -> None:
    program = """
    local rules = require 'torch.features.dimension_names.name_rules'
    print(pcall(rules.of, { 'thrice' }, { 'r t', 'mine.thrice' }))
    print(pcall(rules.of, { 'thrice', names = 'unified' }, { 'r t', 'mine.thrice' }))
    """
    first, second = lua(program).splitlines()
    assert first.startswith("false\tthrice: no rule for the names of dimensions from 'mine.thrice'")
    assert second.startswith("true\tfunction")
