"""The help on each name of each package: how it is used, what it does, and an example that runs by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from t7shell.engine.result import Status
from t7shell.host import encoding
from t7shell.manual import examples
from t7shell.prompt import describe, help

# The functions and classes of a package, those of tables in it, too, and the classes that it adds to nn.
# Packages whose table is that of another one, as cunn is nn, have only these.
NAMES = """
   local names, usage = require 'shell.names', require 'shell.usage'
   local package, list, seen = ..., {}, {}
   local function is_class(value)
      local metatable = type(value) == 'table' and getmetatable(value)
      return type(value) == 'table' and (usage.constructor(value) or metatable and metatable.__call)
   end
   local function add(prefix, object, depth)
      seen[object] = true
      local metatable = getmetatable(object)
      local inherited = type(metatable) == 'table' and metatable.__index
      if type(inherited) ~= 'table' then inherited = {} end
      for key in pairs(names.fields(object)) do
         local value = names.field(object, key)
         if not key:find '^%a[%w_]*$' or rawget(object, key) == nil and inherited[key] ~= nil then
            value = nil
         elseif type(value) == 'function' or is_class(value) then
            list[#list + 1] = prefix .. key
         elseif type(value) == 'table' and depth < 2 and not seen[value] then
            add(prefix .. key .. '.', value, depth + 1)
         end
      end
   end
   local object = _G[package]
   local shared = object == nn and package ~= 'nn' or object == qt and package ~= 'qt'
   if type(object) == 'table' and not shared then add(package .. '.', object, 1) end
   for key in pairs(nn and known and names.fields(nn) or {}) do
      if not known[key] and is_class(nn[key]) then list[#list + 1] = 'nn.' .. key end
   end
   table.sort(list)
   return table.concat(list, ' ')
"""


def packages() -> list[str]:
    about = Engine().helper("shell.about").keys()
    return sorted(name for name in map(encoding.from_lua, about) if not name.startswith("torch."))


def loaded(package: str) -> tuple[Engine, str]:
    """An engine in which a package is a global variable, and the name of that."""
    engine = Engine()
    if package != "nn":
        assert engine.execute("local nn = require 'nn' known = require('shell.names').fields(nn)").ok
    variable = help.VARIABLES.get(package, package)
    done = engine.execute(f"io.stderr = io.tmpfile() {variable} = require '{package}'")
    assert done.ok, done.message
    return engine, variable


# Examples that need what is not part of the installation: files, a camera, or a program.
NOT_RUN = {
    "camera.Camera": "a camera",
    "loadcaffe.load": "a network of Caffe",
    "mnist.traindataset": "files of MNIST",
    "mnist.testdataset": "files of MNIST",
    "graph.graphvizFile": "Graphviz",
    "iterm.dot": "Graphviz",
    "graph.graphvizLayout": "Graphviz",
    "nn.DataSetLabelMe": "pictures of LabelMe",
    "nn.DataSetSamplingPascal": "pictures of Pascal VOC",
}
# Examples about classes need those of their chapter, with which they are executed.
IN_CHAPTERS = {"torch"}
# Removes the variables that an example has set, but for packages, which a second `require` does not set.
FORGET = """
   if not kept then
      kept = {}
      for name in pairs(_G) do kept[name] = true end
   end
   for name in pairs(_G) do
      if not kept[name] and not package.loaded[name] then _G[name] = nil end
   end
"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("package", packages())
def test_names(package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine, variable = loaded(package)
    names = str(engine.execute(f"return assert(loadstring([==[{NAMES}]==]))('{variable}')").values[0]).split()
    lacking: list[str] = []
    found: dict[str, str] = {}
    for name in names:
        shown = describe.of_record(help.record_of(name, engine))
        has = {
            "arguments": set("({") & set(shown.usage) and not shown.usage.endswith("(...)"),
            "sentence": shown.doc,
            "example": shown.example,
        }
        lacking += [f"{name}: {what}" for what, is_there in has.items() if not is_there]
        if name not in NOT_RUN and package not in IN_CHAPTERS:
            found.setdefault(shown.example, name)
    failed = [problem for example, name in found.items() if (problem := run(engine, name, example))]
    assert not lacking + failed, "\n".join(lacking + failed)


def run(engine: Engine, name: str, example: str) -> str:
    """Runs an example by itself; says what went wrong, if anything did."""
    engine.execute(FORGET)
    # Examples of rows are lines without prompts.
    inputs = examples.inputs_of(example.splitlines())
    for source in [one.source for one in inputs if not one.fails] if inputs else example.splitlines():
        _, done = engine.run_captured(source)
        if done.status is not Status.OK:
            return f"{name}: {source}: {done.message}"
    return ""
