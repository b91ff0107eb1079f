"""graph: orders against Python's graphlib, pictures where Graphviz is installed."""

from __future__ import annotations

import graphlib
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Lua = Callable[[str], str]

BUILD = """
require 'graph'
local function build(edges)
   local g, nodes = graph.Graph(), {}
   for _, e in ipairs(edges) do
      for _, i in ipairs(e) do nodes[i] = nodes[i] or graph.Node(i) end
      g:add(graph.Edge(nodes[e[1]], nodes[e[2]]))
   end
   return g, nodes
end
"""


def build(edges: list[tuple[int, int]]) -> str:
    listed = ", ".join(f"{{{a}, {b}}}" for a, b in edges)
    return f"{BUILD} local g, nodes = build {{ {listed} }}\n"


@pytest.mark.parametrize("seed", range(20))
def test_topological_order_and_cycles_of_random_graphs(lua: Lua, seed: int) -> None:
    draw = random.Random(seed)
    edges = sorted({(draw.randint(1, 8), draw.randint(1, 8)) for _ in range(draw.randint(1, 12))})
    edges = [(a, b) for a, b in edges if a != b]
    if not edges:
        return
    sorter: graphlib.TopologicalSorter[int] = graphlib.TopologicalSorter()
    for a, b in edges:
        sorter.add(b, a)
    try:
        sorter.prepare()
        cyclic = False
    except graphlib.CycleError:
        cyclic = True
    out = lua(
        build(edges)
        + """
    print(g:hasCycle())
    local fine, sorted = pcall(g.topsort, g)
    if not fine then print(sorted) return end
    local list = {}
    for i, node in ipairs(sorted) do list[i] = node.data end
    print(table.concat(list, ' '))
    """
    ).splitlines()
    assert out[0] == str(cyclic).lower()
    if cyclic:
        assert out[1].endswith("Graph has cycles")
        return
    order = [int(word) for word in out[1].split()]
    assert sorted(order) == sorted({i for edge in edges for i in edge})
    assert all(order.index(a) < order.index(b) for a, b in edges)


def test_a_graph_of_all_that_is_reached_from_a_node(lua: Lua) -> None:
    source = build([(1, 2), (1, 3), (2, 4), (5, 1)]) + "local r = nodes[1]:graph() print(#r.nodes, #r.edges)"
    assert lua(source) == "4\t3\n"


def test_reversed_and_copied_graphs_have_nodes_of_their_own_on_the_same_data(lua: Lua) -> None:
    source = (
        build([(1, 2), (2, 3)])
        + """
    local r, c = g:reverse(), g:clone()
    print(r:roots()[1].data, c:roots()[1].data, c:roots()[1] == g:roots()[1], #g:leaves())
    """
    )
    assert lua(source) == "3\t1\tfalse\t1\n"


def test_long_chains_are_walked_without_recursion(lua: Lua) -> None:
    source = """
    require 'graph'
    local g, last = graph.Graph(), graph.Node(0)
    for i = 1, 30000 do
       local node = graph.Node(i)
       g:add(graph.Edge(last, node))
       last = node
    end
    print(#(g:topsort()), g:hasCycle())
    """
    assert lua(source) == "30001\tfalse\n"


def test_wrong_nodes_are_errors(lua: Lua) -> None:
    out = lua(
        "require 'graph' print(pcall(graph.Edge, graph.Node(1), nil)) "
        "print(pcall(graph.Graph().add, graph.Graph(), 5))"
    )
    wrong = lua(
        "require 'graph' print(pcall(graph.Node(1).bfs, graph.Node(1), 3)) "
        "print(pcall(graph.Node(1).hasCycle, graph.Node(1), 3))"
    )
    assert "Node:bfs: argument 1 must be a function (got 3)" in wrong
    assert "Node:hasCycle: the state must be a table (got 3)" in wrong
    assert "Edge: argument 2 must be a graph.Node (got nil)" in out
    assert "add: argument 1 must be a graph.Edge (got" in out


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize(("ending", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures(lua: Lua, tmp_path: Path, ending: str, magic: bytes) -> None:
    path = tmp_path / f"it's.{ending}"
    lua(build([(1, 2)]) + f'graph.graphvizFile(g, "dot", "{path}")')
    assert path.read_bytes().startswith(magic)


def test_a_missing_program_is_named(lua: Lua) -> None:
    out = lua(build([(1, 2)]) + "print(pcall(graph.graphvizFile, g, 'no-such-layout', '/tmp/x.svg'))")
    assert "no program 'no-such-layout'" in out


def test_programs_go_on_without_graphviz(
    t7: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    base = tmp_path / "net"
    done = t7("-e", build([(1, 2)]) + f"print(graph.dot(g, 'title', '{base}'))", env={"PATH": str(tmp_path)})
    assert done.stdout == f"{base}.dot\n"
    assert "graph.dot: no program 'dot'" in done.stderr and f"is in {base}.dot" in done.stderr
    assert (tmp_path / "net.dot").read_text().startswith("digraph G {")


def test_text_of_labels(lua: Lua) -> None:
    out = lua("""local f = require('graph')._dotEscape print(f('a "b'), f(3), pcall(f, {}))""")
    assert out.startswith('"a \\"b"\t"3"\tfalse\t')
    assert out.endswith("_dotEscape: the text must be a string (got table {})\n")


def test_text_of_labels_is_escaped(lua: Lua) -> None:
    texts = "{'a\\nb', 'a\"b', 'ab', 3}"
    program = f"require 'graph' for _, t in ipairs {texts} do print(graph._dotEscape(t)) end"
    assert lua(program) == '"a\\nb"\n"a\\"b"\nab\n"3"\n'
