"""A Caffe model as layers in order, each with the indices of its sources.

Layers are those of `layers.py`. Indices count the inputs of the network from 1, then the layers.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from t7shell.host import encoding
from t7shell.host.failures import message
from t7shell.host.memory import Array
from t7shell.packages.exchange.values import Reader
from t7shell.packages.loadcaffe.layers import IN_PLACE_AFTER, KINDS, slices
from t7shell.packages.loadcaffe.steps import Blob, Layer, Step, one, param
from t7shell.packages.loadcaffe.text_format import FormatError, Message, parse
from t7shell.packages.loadcaffe.wire_format import blobs

# Layers whose tops are the inputs of a network, and others that compute nothing in one that is used.
_DATA = {"DATA", "DUMMYDATA", "HDF5DATA", "IMAGEDATA", "INPUT", "MEMORYDATA", "WINDOWDATA"}
_SKIPPED = {
    "ACCURACY", "CONTRASTIVELOSS", "EUCLIDEANLOSS", "HDF5OUTPUT", "HINGELOSS", "INFOGAINLOSS",
    "MULTINOMIALLOGISTICLOSS", "SILENCE",
}  # fmt: skip


def read(prototxt: str, caffemodel: str) -> tuple[Any, ...]:
    """Reads both files; returns a reader of the network, or None and a message."""
    name = prototxt
    try:
        with open(encoding.path_of(prototxt), encoding="utf-8", errors="replace") as file:
            described = parse(file.read())
        name = caffemodel
        with open(encoding.path_of(caffemodel), "rb") as file:
            parameters = _blobs(file)
        name = prototxt
        return (Reader(network(described, parameters)),)
    except OSError as reason:
        return None, f"{name}: {message(reason)}"
    except (FormatError, ArithmeticError, ValueError, MemoryError) as reason:
        return None, f"{name}: {reason or 'out of memory'}"


def _blobs(file: Any) -> dict[str, list[Array]]:
    if not os.fstat(file.fileno()).st_size:
        raise FormatError("the file is empty")
    return blobs(memoryview(file.read()))


@dataclass
class _Plan:
    """A layer of the description, and the numbers of the blobs that it reads and writes."""

    layer: Message
    name: str
    kind: str
    bottoms: list[int]
    tops: list[int]


@dataclass
class _Plans:
    """The layers in order. A layer that overwrites its input makes a blob with another number."""

    plans: list[_Plan] = field(default_factory=list)
    inputs: dict[int, Blob] = field(default_factory=dict)
    uses: Counter[int] = field(default_factory=Counter)
    count: int = 0
    silent: set[int] = field(default_factory=set)
    current: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """The number of a new blob of this name."""
        self.count += 1
        self.current[name] = self.count
        return self.count


def network(described: Message, parameters: dict[str, list[Array]]) -> dict[str, Any]:
    """Returns the `layers` with their `sources`, the number of `inputs`, and the indices of the `outputs`.

    `chain` tells whether the only input of each layer is the output of the previous one. Raises FormatError
    for layers without a module here.
    """
    plans = _planned(described)
    # Inputs that no layer takes, such as labels, are not inputs of the network.
    blobs: dict[int, Blob] = {}
    for number, blob in plans.inputs.items():
        if plans.uses[number]:
            blobs[number] = blob
            blob.index = len(blobs)
    inputs = len(blobs)
    found: list[Layer] = []
    for plan in plans.plans:
        sources = [blobs[number] for number in plan.bottoms]
        parts = slices(plan.layer, plan.name, sources[0], len(plan.tops)) if plan.kind == "SLICE" else None
        for i, top in enumerate(plan.tops):
            step = Step(plan.layer, plan.name, parameters.get(plan.name, []), sources)
            step.alone = _is_alone(plan.bottoms[0], blobs, plans)
            blob = parts[i] if parts else KINDS[plan.kind](step)
            for layer in blob.layers:
                layer["sources"] = layer.get("sources") or [inputs + len(found)]
                found.append(layer)
            blob.index = inputs + len(found) if blob.layers else sources[0].index
            blobs[top] = blob
            blob.view_of = plan.bottoms[0] if blob.is_view else None
    if not found:
        raise FormatError("no layers")
    tops = [top for plan in plans.plans for top in plan.tops]
    unused = [top for top in tops if not plans.uses[top] and top not in plans.silent]
    outputs = list(dict.fromkeys(blobs[top].index for top in unused))
    chain = inputs == 1 and all(layer["sources"] == [i] for i, layer in enumerate(found, 1))
    return {
        "layers": found, "inputs": inputs, "outputs": outputs,
        "chain": chain and outputs == [len(found) + 1],
    }  # fmt: skip


def _is_alone(number: int, blobs: dict[int, Blob], plans: _Plans) -> bool:
    """Whether a layer that reads a blob may write over it: nothing else reads its memory, now or later."""
    while True:
        blob = blobs[number]
        if plans.uses[number] != 1 or number in plans.inputs:
            return False
        if blob.view_of is None:
            return bool(blob.layers) and blob.layers[-1]["kind"] in IN_PLACE_AFTER
        number = blob.view_of


def _planned(described: Message) -> _Plans:
    plans = _Plans()
    shapes = [one(shape, "dim", None) and shape["dim"] for shape in _messages(described, "input_shape")]
    if not shapes and described.get("input_dim"):
        sizes = described["input_dim"]
        shapes = [sizes[i : i + 4] for i in range(0, len(sizes), 4)]
    for i, name in enumerate(described.get("input", [])):
        plans.inputs[plans.number(str(name))] = _input(shapes[i] if i < len(shapes) else None)
    for layer in described.get("layer", []) + described.get("layers", []):
        if not isinstance(layer, dict):
            raise FormatError("a layer must be a message")
        _plan(plans, layer)
    return plans


def _plan(plans: _Plans, layer: Message) -> None:
    name, kind = str(one(layer, "name", "")), str(one(layer, "type", "")).upper().replace("_", "")
    if _only_training(layer):
        return
    names, tops = map(str, layer.get("bottom", [])), list(map(str, layer.get("top", [])))
    if kind in _DATA:
        shapes = [shape.get("dim") for shape in _messages(param(layer, "input"), "shape")]
        for i, top in enumerate(tops):
            given = shapes[i] if i < len(shapes) else None
            plans.inputs[plans.number(top)] = _input(given)
        return
    if kind in _SKIPPED:
        if kind == "SILENCE":
            plans.silent.update(plans.current[bottom] for bottom in names if bottom in plans.current)
        return
    if kind not in KINDS and kind != "SLICE":
        known = ", ".join(sorted(key.lower() for key in [*KINDS, "SLICE"]))
        raise FormatError(f"layer '{name}': type {one(layer, 'type', 'none')} is not one of {known}")
    # The labels of a loss are not an input of the network.
    sources = list(names)[:1] if kind.endswith("LOSS") else list(names)
    if not sources or (len(sources) > 1 and kind not in ("CONCAT", "ELTWISE")):
        raise FormatError(f"layer '{name}': expected one input (got {sources})")
    bottoms = []
    for source in sources:
        if source not in plans.current:
            # A description without any inputs begins with the first layer's.
            if plans.inputs or plans.plans:
                raise FormatError(f"layer '{name}': no layer before it makes its input '{source}'")
            plans.inputs[plans.number(source)] = _input(None)
        bottoms.append(plans.current[source])
    # All tops of a split share the memory of its input.
    plans.uses.update(bottoms * (len(tops) if kind == "SPLIT" else 1))
    if len(tops) > 1 and kind not in ("SLICE", "SPLIT"):
        tops = tops[:1]
    plans.plans.append(_Plan(layer, name, kind, bottoms, [plans.number(top) for top in tops or [name]]))


def _input(sizes: Sequence[Any] | None) -> Blob:
    if not sizes or not all(isinstance(n, int) for n in sizes):
        return Blob(rank=4)
    return Blob(rank=len(sizes), channels=sizes[1] if len(sizes) > 1 and sizes[1] > 0 else None)


def _messages(fields: Message, name: str) -> list[Message]:
    return [value for value in fields.get(name, []) if isinstance(value, dict)]


def _only_training(layer: Message) -> bool:
    included = [one(rule, "phase", None) for rule in _messages(layer, "include")]
    excluded = [one(rule, "phase", None) for rule in _messages(layer, "exclude")]
    return (bool(included) and all(phase in ("TRAIN", 0) for phase in included)) or any(
        phase in ("TEST", 1) for phase in excluded
    )
