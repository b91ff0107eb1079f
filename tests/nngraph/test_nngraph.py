"""nngraph: graphs against the same networks of containers, gradients by differences, files, copies."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]

# A graph and a network of containers that compute the same; their parameters come in the same order.
TWINS = {
    "chain": (
        "local i = nn.Identity()() return nn.gModule({i}, {nn.Tanh()(nn.Linear(3, 3)(i))})",
        "return nn.Sequential():add(nn.Linear(3, 3)):add(nn.Tanh())",
    ),
    "residual": (
        """local i = nn.Identity()() local h = nn.Sigmoid()(nn.Linear(3, 3)(i))
        return nn.gModule({i}, {nn.CAddTable()({i, h})})""",
        """return nn.Sequential():add(nn.ConcatTable():add(nn.Identity())
        :add(nn.Sequential():add(nn.Linear(3, 3)):add(nn.Sigmoid()))):add(nn.CAddTable())""",
    ),
    "three branches": (
        """local i = nn.Identity()()
        local a, b, c = nn.Linear(3, 2)(i), nn.Linear(3, 2)(i), nn.Linear(3, 2)(i)
        return nn.gModule({i}, {nn.JoinTable(2)({a, nn.Tanh()(b), c})})""",
        """return nn.Sequential():add(nn.ConcatTable():add(nn.Linear(3, 2))
        :add(nn.Sequential():add(nn.Linear(3, 2)):add(nn.Tanh())):add(nn.Linear(3, 2)))
        :add(nn.JoinTable(2))""",
    ),
    "split": (
        """local i = nn.Identity()() local a, b, c = nn.SplitTable(2)(i):split(3)
        return nn.gModule({i}, {nn.CMulTable()({a, nn.CAddTable()({b, c})})})""",
        """return nn.Sequential():add(nn.SplitTable(2)):add(nn.ConcatTable():add(nn.SelectTable(1))
        :add(nn.Sequential():add(nn.NarrowTable(2, 2)):add(nn.CAddTable()))):add(nn.CMulTable())""",
    ),
    "nested": (
        """local a = nn.Identity()() local inner = nn.gModule({a}, {nn.Tanh()(nn.Linear(3, 3)(a))})
        local i = nn.Identity()() return nn.gModule({i}, {nn.Square()(inner(i))})""",
        "return nn.Sequential():add(nn.Linear(3, 3)):add(nn.Tanh()):add(nn.Square())",
    ),
}

COMPARE = """
require 'nngraph'
local graph, plain = (function() %s end)(), (function() %s end)()
for k, p in ipairs((graph:parameters())) do
   p:copy(torch.range(1, p:nElement()):mul(0.3 + k):sin())
   plain:parameters()[k]:copy(p)
end
local worst = 0
local function differ(a, b) worst = math.max(worst, (a - b):abs():max()) end
for _, rows in ipairs { 4, 2, 4 } do
   local x = torch.range(1, rows * 3):view(rows, 3):cos()
   differ(graph:forward(x), plain:forward(x))
   local g = plain.output:clone():apply(function(v) return math.sin(7 * v) end)
   graph:zeroGradParameters() plain:zeroGradParameters()
   differ(graph:backward(x, g), plain:backward(x, g))
   local _, a = graph:parameters()
   local _, b = plain:parameters()
   for k = 1, #(a or {}) do differ(a[k], b[k]) end
end
print(worst < 1e-12)
"""


@pytest.mark.parametrize("name", TWINS)
def test_a_graph_computes_what_containers_compute(lua: Lua, name: str) -> None:
    assert lua(COMPARE % TWINS[name]) == "true\n"


def test_gradients_of_several_inputs_and_outputs(lua: Lua) -> None:
    source = """
    require 'nngraph'
    local a, b = nn.Identity()(), nn.Identity()()
    local s = nn.CAddTable()({nn.Linear(2, 3)(a), nn.Linear(4, 3)(b)})
    local m = nn.gModule({a, b}, {nn.Tanh()(s), nn.Sigmoid()(s), s})
    torch.manualSeed(3)
    local x = { torch.randn(5, 2), torch.randn(5, 4) }
    local weights = { torch.randn(5, 3), torch.randn(5, 3), torch.randn(5, 3) }
    local function loss()
       local total = 0
       for i, y in ipairs(m:forward(x)) do total = total + torch.cmul(y, weights[i]):sum() end
       return total
    end
    loss()
    local gradients = m:backward(x, weights)
    local worst = 0
    for k = 1, 2 do
       local flat, g = x[k]:view(-1), gradients[k]:clone():view(-1)
       for i = 1, flat:size(1) do
          local kept = flat[i]
          flat[i] = kept + 1e-5 local up = loss()
          flat[i] = kept - 1e-5 local down = loss()
          flat[i] = kept
          worst = math.max(worst, math.abs((up - down) / 2e-5 - g[i]))
       end
    end
    print(worst < 1e-7)
    """
    assert lua(source) == "true\n"


def test_copies_that_share_parameters_over_time(lua: Lua) -> None:
    source = """
    require 'nngraph'
    local i = nn.Identity()()
    local m = nn.gModule({i}, {nn.Tanh()(nn.Linear(2, 2)(i))})
    local params, grads = m:getParameters()
    local copies = {}
    for t = 1, 3 do copies[t] = m:clone('weight', 'bias', 'gradWeight', 'gradBias') end
    grads:zero() params:fill(0.5)
    local x = torch.ones(2)
    for t = 1, 3 do copies[t]:forward(x) copies[t]:backward(x, torch.ones(2)) end
    m:forward(x)
    local summed = grads:clone()
    grads:zero() m:backward(x, torch.ones(2))
    print((summed - grads * 3):abs():max() < 1e-12, copies[1].output:equal(m.output or m:forward(x)))
    """
    assert lua(source).startswith("true\t")


def test_files_copies_and_types(lua: Lua, tmp_path: Path) -> None:
    source = f"""
    require 'nngraph'
    local i, j = nn.Identity()(), nn.Identity()()
    local a, b = nn.SplitTable(2)(i):split(2)
    local m = nn.gModule({{i, j}}, {{nn.CAddTable()({{a, b, nn.Tanh()(j)}}):annotate{{name = 'sum'}}, j}})
    local x = {{ torch.ones(3, 2), torch.ones(3) }}
    local y = m:forward(x)[1]:clone()
    m:backward(x, {{ torch.ones(3), torch.ones(3) }})
    torch.save('{tmp_path}/m.t7', m)
    for _, n in ipairs {{ torch.load('{tmp_path}/m.t7'), m:clone() }} do
       print((n:forward(x)[1] - y):abs():max(), #n:backward(x, {{ torch.ones(3), torch.ones(3) }}))
    end
    m:float()
    print(m:forward{{ x[1]:float(), x[2]:float() }}[1]:type(), #m:clearState().output)
    local names = {{}}
    for _, node in ipairs(m.forwardnodes) do names[#names + 1] = node.data.annotations.name end
    print(table.concat(names), #m.modules, torch.type(m:findModules('nn.CAddTable')[1]))
    """
    assert lua(source) == "0\t2\n0\t2\ntorch.FloatTensor\t0\nsum\t5\tnn.CAddTable\n"


def test_modules_can_be_replaced(lua: Lua) -> None:
    source = """
    require 'nngraph'
    local i = nn.Identity()()
    local m = nn.gModule({i}, {nn.Tanh()(i)})
    m:forward(torch.ones(1))
    m:replace(function(module) return torch.type(module) == 'nn.Tanh' and nn.MulConstant(3) or module end)
    print(m:forward(torch.ones(1))[1])
    """
    assert lua(source) == "3\n"


def test_labels_and_names(lua: Lua) -> None:
    source = """
    require 'nngraph'
    local function build()
       local input = nn.Identity()()
       local hidden = { nn.Tanh()(input) }
       nngraph.annotateNodes()
       return nn.gModule({input}, hidden), input, hidden[1]
    end
    local m, input, hidden = build()
    print(input.data.annotations.name, hidden.data.annotations.name, tostring(m))
    m.name = 'encoder'
    print(tostring(m), hidden:label():find('module = nn.Tanh') ~= nil)
    """
    assert lua(source) == "input\thidden[1]\tnn.gModule\nencoder (nn.gModule)\ttrue\n"


def test_simple_pictures_leave_out_what_computes_nothing(lua: Lua) -> None:
    source = r"""
    require 'nngraph'
    local first, second = nn.Identity()(), nn.Linear(10, 10)()
    local hidden = nn.Tanh()(nn.Linear(10, 10)(first)):annotate{description = 'hidden'}
    local between = nn.Identity()(hidden)
    local sum = nn.CAddTable(){between, nn.Dropout(.5)(second), nn.Identity()(first)}
    local m = nn.gModule({first, second}, {nn.Tanh()(sum), nn.Identity()(between)})
    local text = nngraph.simple_print.todot(m.fg, 'a net'):gsub('"Node%d+\\n', '"'):gsub('\\l.-;', ';')
    print(text)
    print(nngraph.simple_print.todot(m.bg):match('n2 .*'))
    """
    # As the original's.
    assert lua(source) == (
        'digraph G {\nlabelloc="t";\nlabel="a net";\nnode [shape = oval]; \n'
        'n1[label="module = nn.Tanh;\nn4[label="module = nn.CAddTable;\n'
        'n6[label="module = nn.Dropout(0.500000);\nn8[label="desc = hidden\\nmodule = nn.Tanh;\n'
        'n9[label="module = nn.Linear(10 -> 10);\nn11[label="module = nn.Linear(10 -> 10);\n'
        "n4 -> n1;\nn6 -> n4;\nn9 -> n6;\nn11 -> n8;\nn8 -> n4;\n}\n"
        "n2 -> n4;\nn4 -> n6;\nn6 -> n9;\nn8 -> n11;\nn4 -> n8;\n}\n"
    )


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("nn.gModule({nn.Linear(2, 2)}, {nn.Tanh()()})",
         "inputs[1] is an nn.Module, specifically a nn.Linear, but the only"),
        ("nn.Tanh()(5)", "inputs[1] is not an nngraph.Node (got number)"),
        ("local i = nn.Identity()() nn.CAddTable()({i, nil, i})", "inputs[2] is nil (typo / bad index?)"),
        ("local i = nn.Identity()() nn.CAddTable()({i, i})", "a node for one input only expected"),
        ("local i = nn.Identity()() nn.gModule({i}, {})", "outputs must have at least one node (got none)"),
        ("local i = nn.Identity()() local a, b = i:split(2) nn.gModule({i}, {a})", "1 of split(2) outputs"),
        ("nn.Identity()():split(0)", "must be a number of outputs of at least 1 (got 0)"),
        ("local i = nn.Identity()() nn.gModule({i}, {nn.Tanh()(i)}):backward(torch.ones(1), torch.ones(1))",
         "backward called before forward"),
        ("local i = nn.Identity()() local m = nn.gModule({i}, {nn.Linear(3, 2)(i)}) m:forward(torch.ones(4))",
         "gModule[2] > Linear(3 -> 2)"),
        ("local i, j = nn.Identity()(), nn.Identity()() "
         "nn.gModule({i, j}, {nn.CAddTable()({i, j})}):forward(torch.ones(1))",
         "expecting table of 2 inputs (got DoubleTensor"),
        ("local i = nn.Identity()() local m = nn.gModule({i}, {i, nn.Tanh()(i)}) m:forward(torch.ones(1)) "
         "m:backward(torch.ones(1), torch.ones(1))", "gradOutput must have 2 tensors"),
        ("local i = nn.Identity()() nn.gModule({i}, {i}):replace(3)", "callback must be a function (got 3)"),
        ("nn.Identity()():add(torch.ones(1), true)", "must be a graph.Node (got torch.DoubleTensor)"),
        ("nn.Identity()():annotate(5)", "must be a table (got 5)"),
    ],
)
def test_wrong_graphs(lua: Lua, program: str, message: str) -> None:
    assert message in lua(f"require 'nngraph' print(pcall(function() {program} end))")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_a_failure_is_drawn_when_asked_for(lua: Lua, tmp_path: Path) -> None:
    source = f"""
    require 'nngraph'
    local i = nn.Identity()()
    local m = nn.gModule({{i}}, {{nn.Linear(3, 2)(i)}})
    m.name = '{tmp_path}/net'
    nngraph.setDebug(true)
    print(pcall(m.forward, m, torch.ones(4)))
    nngraph.setDebug(false)
    """
    assert lua(source).startswith("false")
    assert "color=red" in (tmp_path / "net-error.dot").read_text().replace('"', "")


def test_fields_of_the_original_graph(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local a = nn.Identity()() local t = nn.Tanh()(a) local g = nn.gModule({a}, {t, a})
    print(g.outnode.data.mapindex[t.data], g.outnode.data.mapindex[a.data], g.innode.data.input)
    print(a.data.reverseMap[t], a.data.annotations._debugLabel)
    local x = torch.ones(2)
    g:forward(x)
    print(rawequal(g.innode.data.input[1], x), rawequal(t.data.input[1], a.data.module.output))
    print(#g.outnode.data.input, rawget(g, '_steps'))
    local loaded = torch.deserialize(torch.serialize(g))
    local mapindex = loaded.outnode.data.mapindex
    for i, data in ipairs(mapindex) do print(mapindex[data] == i) end"""
    assert lua(program) == "1\t2\t{}\ntrue\t[test]:3_\ntrue\ttrue\n2\tnil\ntrue\ntrue\n"


def test_the_first_node_keeps_a_list_of_the_inputs(lua: Lua) -> None:
    """As in the original, for a graph of several inputs and of one."""
    program = """
    local a, b = nn.Identity()(), nn.Identity()()
    local two, one = nn.gModule({a, b}, {nn.CAddTable(){a, b}}), nn.Identity()()
    one = nn.gModule({one}, {nn.Tanh()(one)})
    local x, y = torch.ones(2), torch.zeros(2)
    two:forward{x, y}
    one:forward(x)
    local kept, alone = two.innode.data.input, one.innode.data.input
    print(#kept, rawequal(kept[1], x), rawequal(kept[2], y), #alone, rawequal(alone[1], x))"""
    assert lua(program) == "2\ttrue\ttrue\t1\ttrue\n"


@pytest.mark.parametrize("columns", [1, 3])
def test_split_takes_as_many_parts_as_there_are(lua: Lua, columns: int) -> None:
    program = f"""
    require 'nngraph'
    local a = nn.Identity()() local x, y = nn.SplitTable(2)(a):split(2)
    local g = nn.gModule({{a}}, {{nn.CAddTable(){{x, y}}}})
    print(pcall(g.forward, g, torch.ones(2, {columns})))
    print(x.data.annotations._debugLabel)"""
    text = lua(program)
    assert f"split(2) cannot split {columns} outputs" in text
    assert text.endswith("[test]:3_-1\n")


def test_nested_gradients_shrink(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local a = nn.Identity()() local g = nn.gModule({a}, {nn.Identity()(a), nn.Identity()(a)})
    for _, n in ipairs {3, 2, 4} do
       local x = {}
       for i = 1, n do x[i] = torch.ones(i) end
       g:forward(x)
       local d = g:backward(x, {x, x})
       print(#d, d[n]:size(1), d[n][1])
    end"""
    assert lua(program) == "3\t3\t2\n2\t2\t2\n4\t4\t2\n"


def test_inputs_of_a_graph_have_no_inputs(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local a, c = nn.Identity()(), nn.Identity()() local g = nn.gModule({a}, {nn.Tanh()(a)})
    print(pcall(nn.gModule, {a}, {nn.Sigmoid()(a)}))
    print(pcall(nn.gModule, {c, a}, {nn.CAddTable() {c, a}}))
    print(g:forward(torch.zeros(1))[1])
    local b = nn.Identity()() local unused = nn.Tanh()(b)
    print(pcall(nn.gModule, {b}, {nn.Sigmoid()(b)}))"""
    lines = lua(program).splitlines()
    assert "inputs[1] must have no inputs" in lines[0] and "inputs[2] must have no inputs" in lines[1]
    assert lines[2] == "0"
    assert "node declared on [test]:7_ does not connect to gmodule output" in lines[3]


def test_graphs_of_thousands_of_nodes_are_cloned(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local a = nn.Identity()() local n = nn.Linear(1, 1)(a)
    for i = 1, 3000 do n = nn.Identity()(n) end
    local g = nn.gModule({a}, {n})
    g:forward(torch.ones(1))
    local c = g:clone('weight', 'bias', 'gradWeight', 'gradBias')
    g.modules[2].weight:fill(5) g.modules[2].bias:fill(1)
    print(c:forward(torch.ones(1))[1])"""
    assert lua(program) == "6\n"


def test_nesting(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local nesting, utils = require 'nngraph.nesting', require 'nngraph.utils'
    local x = {torch.ones(2), {torch.ones(3)}}
    local y = nesting.cloneNested(x)
    nesting.fillNested(y, 5)
    nesting.addNestedTo(y, x)
    print(y[1][2], y[2][1][3], x[1][1])
    nesting.resizeNestedAs(y, {torch.ones(4)})
    print(#y, y[1]:size(1))
    print(pcall(nesting.copyNested, y, x))
    print(pcall(nesting.copyNested, y, {}))
    nesting.copyNested(y, {torch.zeros(4)})
    print(y[1]:sum(), utils.tableContainsValue({1, 7}, 7), utils.tableContainsValue({1}, 7))"""
    lines = lua(program).splitlines()
    assert lines[:2] == ["6\t6\t1", "1\t4"]
    assert "key 2 is missing in the output" in lines[2]
    assert "key 1 is missing in the input" in lines[3]
    assert lines[4] == "0\ttrue\tfalse"


def test_text_for_graphviz(lua: Lua, tmp_path: Path) -> None:
    """The labels, their order and the tooltips are those that the original wrote."""
    program = f"""
    require 'nngraph'
    local red = {{name = 'In', description = 'D1', graphAttributes = {{color = 'red'}}}}
    local blue = {{name = 'H', description = 'D2', graphAttributes = {{color = 'blue', tooltip = 'tip'}}}}
    local input = nn.Identity()():annotate(red)
    local h = nn.Linear(2, 2)(input):annotate(blue)
    local net = nn.gModule({{input}}, {{nn.Tanh()(h)}})
    print((net.fg:todot('Test'):gsub(' tooltip="[^"]*"', '')))
    print(net.fg.nodes[3].id, net.fg.nodes[3]:graphNodeName(), net.fg.nodes[1]:graphNodeAttributes().tooltip)
    graph.dot(net.fg, 'Test', '{tmp_path}/x')
    local text = io.open('{tmp_path}/x.dot'):read '*a'
    print(text:match('%[color=red.*label=%"In.*D1.*%".*%]') ~= nil)
    print(text:match('%[color=blue.*label=".*D2') ~= nil)"""
    assert lua(program).splitlines() == [
        "digraph G {",
        'labelloc="t";',
        'label="Test";',
        "node [shape = oval]; ",
        'n1[label="Node1\\nmodule = nn.Tanh\\lreverseMap = {}"];',
        'n2[label="Node2\\ninput = {}\\lreverseMap = {}"];',
        'n3[label="H (3)\\ndesc = D2\\nmodule = nn.Linear(2 -> 2)\\lreverseMap = {}"'
        " color=blue tooltip=tip];",
        'n4[label="In (4)\\ndesc = D1\\nmodule = nn.Identity\\lreverseMap = {}" color=red];',
        'n5[label="Node5\\ninput = {}\\lreverseMap = {}"];',
        "n1 -> n2;",
        "n3 -> n1;",
        "n4 -> n3;",
        "n5 -> n4;",
        "}",
        "3\tH (3)\t[test]:7_",
        "true",
        "true",
    ]


def test_nodes_keep_gradients_and_are_converted(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local i = nn.Linear(4, 3)()
    local m = nn.gModule({i}, {nn.Tanh()(i)})
    m:backward(torch.ones(4), m:forward(torch.ones(4)))
    local nodes = m.backwardnodes
    print(#nodes[1].data.gradOutput, #nodes[1].children[1].data.gradOutput, #m.innode.data.gradOutput)
    m:float()
    print(m.output:type(), m.gradInput:type(), m.innode.data.input[1]:type(), m.outnode.data.input[1]:type())
    print(nodes[1].children[1].data.gradOutput[1]:type(), m:forward(torch.ones(4):float()):type())
    local node = nn.Identity()()
    node.data.annotations._debugLabel = 'node'
    local a, b = node:split(2)
    print(a.data.annotations._debugLabel, b.data.annotations._debugLabel)"""
    names = "torch.FloatTensor"
    assert lua(program) == f"1\t1\t1\n{names}\t{names}\t{names}\t{names}\n{names}\t{names}\nnode-1\tnode-2\n"


def test_a_node_has_its_index_in_the_graph(lua: Lua) -> None:
    program = """
    require 'graph'
    local a, b = graph.Node(1), graph.Node(2)
    local g, other = graph.Graph(), graph.Graph()
    io.write(a.id, ' ')
    g:add(graph.Edge(b, a))
    g:add(graph.Edge(b, a))
    io.write(a.id, ' ', b.id, ' ', #g.edges, ' ')
    other:add(graph.Edge(a, b))
    print(a.id, b.id, a:label(), a:graphNodeName())"""
    assert lua(program) == "0 2 1 2 1\t2\t1\tNode1\n"


def test_a_change_of_type_leaves_the_inputs_of_the_program(lua: Lua) -> None:
    """The original's: nodes hold a copy of the list of inputs, which is converted in place."""
    program = """
    require 'nngraph'
    local a, b = nn.Identity()(), nn.Identity()()
    local m = nn.gModule({a, b}, {nn.CAddTable(){a, b}})
    local x = { torch.Tensor{1, 2}, torch.Tensor{3, 4} }
    local first, second = x[1], x[2]
    m:backward(x, m:forward(x))
    m:float()
    print(x[1] == first, x[2] == second, m:double():forward(x):sum())
    print(m.forwardnodes[2].data.input[1] ~= x, m.innode.data.input ~= x)"""
    assert lua(program) == "true\ttrue\t10\ntrue\ttrue\n"


def test_clear_state_forgets_what_nodes_hold(lua: Lua) -> None:
    """The original's fields."""
    program = """
    require 'nngraph'
    local a = nn.Identity()()
    local b = nn.Tanh()(a)
    local m = nn.gModule({a}, {nn.CAddTable(){a, b}})
    local x = torch.Tensor{0, 1}
    m:backward(x, m:forward(x))
    print(a.data.input ~= nil, a.data.gradOutput ~= nil, a.data.gradOutputBuffer ~= nil)
    m:clearState()
    print(a.data.input, a.data.gradOutput, a.data.gradOutputBuffer, m.outnode.data.input)
    print(m:forward(x)[1], #a.data.input)"""
    assert lua(program) == "true\ttrue\ttrue\nnil\tnil\tnil\tnil\n0\t1\n"


def test_map_goes_through_the_modules_of_two_graphs(lua: Lua) -> None:
    program = """
    require 'nngraph'
    local function made(first)
       local a, b = nn.Identity()(), nn.Identity()()
       return nn.gModule({a, b}, {nn.CAddTable(){first(a), nn.Tanh()(b)}})
    end
    local m, other = made(nn.Linear(2, 2)), made(nn.Linear(2, 2))
    local names = {}
    m:map(other, function(one, two)
       names[#names + 1] = torch.type(one)
       assert(torch.type(two) == torch.type(one) and one ~= two)
       if one.weight then one.weight:copy(two.weight) end
    end)
    table.sort(names)
    print(table.concat(names, ' '))
    local x = nn.Identity()()
    print(select(2, pcall(m.map, m, nn.gModule({x}, {nn.Exp()(x)}), print)))
    print(select(2, pcall(m.map, m, 3, print)))"""
    lines = lua(program).splitlines()
    assert lines[0] == "nn.CAddTable nn.Identity nn.Identity nn.Linear nn.Tanh"
    assert "map: the other graph must have the same structure" in lines[1]
    assert lines[2].endswith("map: argument 1 must be a gModule (got 3)")
