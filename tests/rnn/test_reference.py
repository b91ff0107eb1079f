"""The rows of rnn, dpnn and nnx document each class truly: the checks of tests/nn/test_reference.py."""

from __future__ import annotations

import re
from typing import Any

import pytest

from t7shell.engine.engine import Engine
from t7shell.host import encoding

from ..nn.test_reference import SHAPE_OF, described, numbers, printed, read, split, tensor

WITHOUT_FORMULA = {
    "FunctionWrapper", "SpatialPadding", "SpatialReSampling", "SpatialColorTransform", "AbstractRecurrent",
    "AbstractSequencer", "AbstractSequencerCriterion",
}


def records() -> dict[str, dict[str, Any]]:
    engine = Engine()
    engine.execute("require 'rnn' require 'nnx'")
    of = engine.helper("nn.class.reference")["of"]
    found = {}
    chapters = [engine.helper(f"{package}.chapter") for package in ("rnn", "dpnn", "nnx")]
    rows = [row for chapter in chapters for row in chapter.values() if not isinstance(row, bytes | str)]
    names = ["nn." + encoding.from_lua(row[1]) for row in rows]
    for name in [*names, "nnx.QDRiemaNNLinear"]:
        record = of(name)
        assert record is not None, name
        fields = {encoding.from_lua(key): record[key] for key in record}
        texts = {key: encoding.from_lua(v) for key, v in fields.items() if isinstance(v, bytes | str)}
        texts["arguments"] = [
            (encoding.from_lua(one[1]), one[2] and encoding.from_lua(one[2]))
            for one in fields["arguments"].values()
        ]
        found[name] = texts
    return found


RECORDS = records()


@pytest.fixture(scope="module")
def engine() -> Engine:
    made = Engine()
    assert made.execute("require 'rnn' require 'nnx' require 'image'" + SHAPE_OF).ok
    return made


@pytest.mark.parametrize("name", RECORDS)
def test_each_class_is_documented(engine: Engine, name: str) -> None:
    record = RECORDS[name]
    assert re.fullmatch(r"[A-Z`].*\.", record["summary"], re.DOTALL)
    assert ("formula" in record) != (name.partition(".")[2] in WITHOUT_FORMULA)
    assert "->" in record["shapes"]
    assert engine.execute(f"local m = {record['example']}").ok, record["example"]
    code = f"""
        local names, info = {{}}, debug.getinfo({name}.__init, 'u')
        for i = 2, info.nparams do names[#names + 1] = debug.getlocal({name}.__init, i) end
        print(info.isvararg and '...' or table.concat(names, ' '))"""
    # Arguments that may come in a table have names in the record only.
    names = printed(engine, code).split()
    assert names in (["..."], [argument[0] for argument in record["arguments"]])


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("batch", [False, True], ids=["sample", "batch"])
def test_shapes(engine: Engine, name: str, batch: bool) -> None:
    record = RECORDS[name]
    values = numbers(record)
    source, _, result = record["shapes"].partition(" -> ")
    inputs = [read(part, values, batch) for part in split(source)]
    if inputs[0] is None or (batch and "[B" not in record["shapes"]):
        return
    given = ", ".join(map(tensor, inputs))
    wanted = read(result, values, batch)
    call = f"print(shape_of(({record['example']}):forward({given})))"
    assert printed(engine, call).strip().splitlines()[-1] == described(wanted)
    if "parameters" in record:
        printed(engine, f"made = {record['example']}")
        for parameter in split(record["parameters"]):
            field, _, sizes = parameter.partition(" ")
            shown = printed(engine, f"print(shape_of(made.{field}))").strip()
            assert shown == described(read(sizes, values, batch)), field
