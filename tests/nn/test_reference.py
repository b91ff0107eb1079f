"""The documentation of the classes of nn, which the manual and the help are made from, is complete and true.

The shapes are read as `lua/nn/class/reference.lua` describes them, an input of them is made, and the output
of `forward` is compared with them.
"""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from t7shell.engine.engine import Engine
from t7shell.host import encoding

# Sizes that may be anything.
SIZES = {"B": 3, "n": 4, "m": 5, "k": 2, "T": 9, "H": 10, "W": 11}
FUNCTIONS = {"floor": math.floor, "ceil": math.ceil, "max": max}
# Classes that compute nothing, or whose shapes say all.
WITHOUT_FORMULA = set(
    re.findall(
        r"\w+",
        """
    Module Criterion Container Decorator Bottle DontCast GPU NaN Profile Collapse Convert View Reshape Squeeze
    Unsqueeze Replicate Transpose Padding PixelShuffle FlattenTable SpatialMaxUnpooling VolumetricMaxUnpooling
    SpatialZeroPadding SpatialReflectionPadding SpatialReplicationPadding VolumetricReplicationPadding
    SpatialUpSamplingBilinear""",
    )
)

Record = dict[str, Any]


def records() -> dict[str, Record]:
    """What the rows say, by class."""
    engine = Engine()
    engine.execute("require 'nn'")
    reference = engine.helper("nn.class.reference")
    found = {}
    for chapter in reference.chapters().values():
        for key in chapter[3].values():
            record = reference["of"](key)
            assert record is not None, key
            fields = {encoding.from_lua(name): record[name] for name in record}
            texts = {name: encoding.from_lua(v) for name, v in fields.items() if isinstance(v, bytes | str)}
            texts["arguments"] = [
                (encoding.from_lua(one[1]), one[2] and encoding.from_lua(one[2]))
                for one in fields["arguments"].values()
            ]
            found[encoding.from_lua(key)] = texts
    return found


RECORDS = records()


@pytest.fixture(scope="module")
def nn() -> Engine:
    engine = Engine()
    assert engine.execute("require 'nn'").ok
    return engine


def printed(engine: Engine, code: str) -> str:
    with engine.capture() as out:
        result = engine.execute(code)
    assert result.ok, (code, result.message)
    return str(out[0])


def numbers(record: Record) -> dict[str, Any]:
    """The values of names: sizes, defaults of arguments, and the arguments of the example."""
    values: dict[str, Any] = dict(SIZES)
    given = split(record["example"].partition("(")[2].rpartition(")")[0])
    for i, (name, default) in enumerate(record["arguments"]):
        text = given[i] if i < len(given) and given[i] else default
        if text in values and text != name:
            values[name] = values[text]
        elif text and re.fullmatch(r"-?[\d./e-]+", text):
            values[name] = evaluated(text, values)
    for definition in re.findall(r"(\w+) = (.*?)(?=, \w+ = |$)", record.get("where", "")):
        values[definition[0]] = evaluated(definition[1], values)
    return values


def evaluated(text: str, values: dict[str, Any]) -> Any:
    return eval(text, {"__builtins__": {}}, {**FUNCTIONS, **values})


def split(text: str) -> list[str]:
    """The parts between the commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "{([") - (letter in "})]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


Shape = Any


def read(text: str, values: dict[str, Any], batch: bool) -> Shape:
    """A shape: a list for a table, (sizes, what the elements are) for a tensor, 'number', or None for any."""
    text = text.strip()
    if text.startswith("{"):
        parts = split(text[1:-1])
        if parts[-1] == "...":
            parts[-1:] = [parts[-2]] * 2
        return [read(part, values, batch) for part in parts]
    if text.startswith("any"):
        return None
    if text == "number":
        return "number"
    sizes, _, elements = text.partition(" of ")
    if sizes.startswith("[B]"):
        sizes = "B" if batch else "1"
    else:
        sizes = sizes.replace("[B x] ", "B x " if batch else "")
    size = [3, 4] if sizes == "*" else [int(evaluated(part, values)) for part in sizes.split(" x ")]
    bounds = elements.split("..")[1] if ".." in elements else None
    return (size, f"1..{int(evaluated(bounds, values))}" if bounds else elements)


def tensor(shape: Shape) -> str:
    """An expression for a value of a shape."""
    if shape is None:
        return "torch.ones(2)"
    if isinstance(shape, list):
        return "{" + ", ".join(map(tensor, shape)) + "}"
    size, elements = shape
    sizes = ", ".join(map(str, size))
    if not elements:
        return f"torch.rand({sizes}):add(0.1)"
    if ".." in elements:
        return f"torch.LongTensor({sizes}):random({elements.split('..')[1]})"
    low, high = elements.split("/")
    return f"torch.Tensor({sizes}):bernoulli(0.5):mul({high} - {low}):add({low})"


def described(shape: Shape) -> str:
    """A shape as the function `shape_of` of Lua writes it."""
    if isinstance(shape, list):
        return "{" + ", ".join(map(described, shape)) + "}"
    return shape if shape == "number" else "x".join(map(str, shape[0]))


SHAPE_OF = """
function shape_of(x)
   if torch.isTensor(x) then return table.concat(x:size():totable(), 'x') end
   if type(x) ~= 'table' then return type(x) end
   local parts = {}
   for i = 1, #x do parts[i] = shape_of(x[i]) end
   return '{' .. table.concat(parts, ', ') .. '}'
end
"""


@pytest.mark.parametrize("name", RECORDS)
def test_each_class_is_documented(nn: Engine, name: str) -> None:
    record = RECORDS[name]
    assert re.fullmatch(r"[A-Z`].*\.", record["summary"], re.DOTALL)
    assert ("formula" in record) != (name.partition(".")[2] in WITHOUT_FORMULA)
    assert "->" in record["shapes"]
    assert nn.execute(f"local m = {record['example']}").ok, record["example"]


@pytest.mark.parametrize("name", RECORDS)
def test_arguments_are_those_of_the_constructor(nn: Engine, name: str) -> None:
    code = f"""
        local init, names = {name}.__init, {{}}
        local info = debug.getinfo(init, 'u')
        for i = 2, info.nparams do names[#names + 1] = debug.getlocal(init, i) end
        if info.isvararg then names[#names + 1] = '...' end
        print(table.concat(names, ' '))"""
    names = [one.rstrip("_") for one in printed(nn, code).split()]
    documented = [argument[0] for argument in RECORDS[name]["arguments"]]
    if names == ["..."]:
        # Numbers and flags of transfer functions and criterions become fields of that name.
        made = f"local m = {RECORDS[name]['example']} for key in pairs(m) do print(key) end"
        fields = printed(nn, made).split()
        defaults = {one[0] for one in RECORDS[name]["arguments"] if one[1]}
        assert name.endswith("Padding") or defaults <= {*fields, "..."}
    elif name in WITHOUT_MODE:
        assert documented == names[:-1]
    else:
        assert documented == names


# UpSampling's constructor, whose mode is fixed here.
WITHOUT_MODE = {"nn.SpatialUpSamplingNearest", "nn.SpatialUpSamplingBilinear"}


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("batch", [False, True], ids=["sample", "batch"])
def test_shapes(nn: Engine, name: str, batch: bool) -> None:
    record = RECORDS[name]
    if batch and "[B" not in record["shapes"]:
        return
    values = numbers(record)
    source, _, result = record["shapes"].partition(" -> ")
    inputs = [read(part, values, batch) for part in split(source)]
    if inputs[0] is None:
        return
    given = ", ".join(map(tensor, inputs))
    printed(nn, SHAPE_OF + "torch.manualSeed(1)")
    wanted = read(result, values, batch)
    shown = printed(nn, f"print(shape_of(({record['example']}):forward({given})))").strip().splitlines()[-1]
    assert wanted is None or shown == described(wanted), (given, shown)
    if "parameters" in record:
        printed(nn, f"made = {record['example']}")
        for parameter in split(record["parameters"]):
            field, _, sizes = parameter.partition(" ")
            shown = printed(nn, f"print(shape_of(made.{field}))").strip()
            assert shown == described(read(sizes, values, batch)), field
