"""Modules of networks as files hold them: which objects are modules, and the dotted names of their tensors.

The name of a tensor is the path to it: ``3.1.weight`` is the weight of ``net.modules[3].modules[1]``. Tables
next to or around a network add their keys: ``model.3.1.weight``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from t7shell.engine.errors import T7Error
from t7shell.host.encoding import plain
from t7shell.t7file.model import Array, Key, Object, Storage, T7FileError

# Fields that hold results and scratch memory of the last call, as those that begin with '_' or 'grad' do.
_SCRATCH_NAMES = (
    "output finput fgradInput addBuffer buffer buff1 buff2 noise indices ones coef localsums "
    "adjustedsums localstds adjustedstds thresholdedstds scale paddedRatio accumRatio hiddenOutput "
    "save_mean save_std diff norm lastInput reserve workspace"
)
SCRATCH = frozenset(_SCRATCH_NAMES.split())
# Nodes of graphs refer to modules that the network lists, and to results of the last call.
_NODES = ("graph.", "nngraph.")
_MAX_NAME = 10000
_PACKAGES = ("nn.", "cudnn.")
_SIGNS = ("gradInput", "output", "_type", "modules")


def is_module(value: object) -> bool:
    """Tells whether an object is a module or criterion: by its package, or by fields that modules have."""
    if not isinstance(value, Object) or not isinstance(value.fields, dict):
        return False
    return value.typename.startswith(_PACKAGES) or any(sign in value.fields for sign in _SIGNS)


def is_node(value: object) -> bool:
    """Tells whether an object is a graph or a node of one."""
    return isinstance(value, Object) and value.typename.startswith(_NODES)


def gradient_name(name: str) -> str:
    """Returns the field of a parameter's gradient: 'gradWeight' of 'weight'."""
    return "grad" + name[:1].upper() + name[1:]


def field_kind(fields: dict[Any, Any], name: object) -> str:
    """Returns the kind of a module's field: parameters have a gradient, or the name weight or bias."""
    if not isinstance(name, str):
        return "buffer"
    if name in ("weight", "bias") or (gradient_name(name) in fields and name not in ("input", "output")):
        return "parameter"
    return "scratch" if name in SCRATCH or name.startswith(("_", "grad")) else "buffer"


def joined(path: str, key: object) -> str:
    """Returns the path of an entry."""
    return f"{path}.{key_text(key)}" if path else key_text(key)


def key_text(key: object) -> str:
    """Returns the text of a key in paths."""
    if isinstance(key, Key):
        key = key.value if isinstance(key.value, bool) else type(key.value).__name__
    if isinstance(key, bytes):
        return key.decode("latin-1")
    return str(key).lower() if isinstance(key, bool) else str(key)


def entries(value: Any) -> list[tuple[Any, Any]]:
    """Returns keys and values of a table or of an object's fields: numbers, then names, then other keys."""
    if isinstance(value, Object):
        value = value.fields
    if isinstance(value, dict):
        found = sorted(value.items(), key=_order)
        # By convention the weight is listed before the bias.
        return sorted(found, key=lambda entry: entry[0] != "weight") if "weight" in value else found
    return list(enumerate(value, 1)) if isinstance(value, list) else []


def _order(entry: tuple[Any, Any]) -> tuple[int, float, str]:
    key = entry[0]
    if isinstance(key, (int, float)) and not isinstance(key, bool):
        return 0, key, ""
    return (1, 0, key) if isinstance(key, str) else (2, 0, key_text(key))


class Part(NamedTuple):
    """An entry of a table or field of a module: its key as it is shown, its path, value and kind.

    The kind is 'module', 'parameter', 'buffer' or 'scratch'; '' for other values.
    """

    label: str
    path: str
    value: Any
    kind: str
    gradient: Any = None


class Tensor(NamedTuple):
    """A tensor of a network or table: its dotted name, and the gradient of a parameter where there is one."""

    name: str
    array: Array
    is_parameter: bool
    gradient: Array | None


def parts(value: Any, path: str = "") -> Iterator[Part]:
    """Yields the parts of a value in order. Entries of ``modules`` are those of the module itself."""
    module = is_module(value)
    for key, item in () if is_node(value) else entries(value):
        if module and key == "modules" and isinstance(item, (list, dict)):
            for index, child in entries(item):
                yield Part(f"({key_text(index)})", joined(path, index), child, "module")
            continue
        if module:
            kind = "module" if is_module(item) else field_kind(value.fields, key)
            gradient = value.fields.get(gradient_name(key)) if kind == "parameter" else None
            yield Part(str(key), joined(path, key), item, kind, gradient)
            continue
        yield Part(key if isinstance(key, str) else f"[{key_text(key)}]", joined(path, key), item, "")


def named(value: Any, path: str) -> Any:
    """Returns the value at a path as `t7 inspect` prints it: 'protos.rnn', '3.1'. Raises KeyError."""
    at = ""
    while at != path:
        inside = [part for part in parts(value, at) if f"{path}.".startswith(f"{part.path}.")]
        if not inside:
            raise KeyError(path)
        value, at = inside[0].value, inside[0].path
    return value


def tensors(value: Any) -> Iterator[Tensor]:
    """Yields all tensors except scratch, in order.

    Tensors that view the same elements of one storage have the name of the first one.
    """
    seen: set[int] = set()
    layouts: set[tuple[Any, ...]] = set()
    names: set[str] = set()
    stack = [Part("", "", value, "")]
    while stack:
        _, path, item, kind, gradient = stack.pop()
        if isinstance(item, np.ndarray):
            if isinstance(item, Storage) or (kind == "buffer" and not item.size):
                continue
            where = item.__array_interface__
            layout = (where["data"][0], item.shape, item.strides, item.dtype.str)
            if id(item) in seen or (item.size and layout in layouts):
                continue
            seen.add(id(item))
            layouts.add(layout)
            if not isinstance(gradient, np.ndarray) or gradient.shape != item.shape:
                gradient = None
            yield Tensor(unused(path or "value", names), item, kind == "parameter", gradient)
        elif isinstance(item, (list, dict, Object)) and id(item) not in seen:
            seen.add(id(item))
            if len(path) > _MAX_NAME:
                raise T7FileError(f"tables nested too deep for names of tensors: {path[:60]}...")
            inside = [part for part in parts(item, path) if part.kind != "scratch"]
            if kind == "buffer" and isinstance(item, (list, dict)):
                # Tables of a module hold copies of modules and results: only the modules are listed.
                inside = [part for part in inside if is_module(part.value)]
            elif kind == "parameter":
                inside = [part._replace(kind=kind) for part in inside]
            stack.extend(reversed(inside))


def modules(value: Any) -> Iterator[tuple[str, Object]]:
    """Yields name and object of all modules in a value, outer ones first; each once, the first named ''."""
    seen: set[int] = set()
    stack = [Part("", "", value, "")]
    while stack:
        part = stack.pop()
        if id(part.value) in seen or not isinstance(part.value, (list, dict, Object)):
            continue
        seen.add(id(part.value))
        if isinstance(part.value, Object) and is_module(part.value):
            yield part.path, part.value
        stack.extend(reversed([inner for inner in parts(part.value, part.path) if inner.kind != "scratch"]))


def unused(name: str, names: set[str]) -> str:
    """Returns the name, with a number if it is taken, and records it."""
    found, count = name, 1
    while found in names:
        count += 1
        found = f"{name}~{count}"
    names.add(found)
    return found


def assign(own: Mapping[str, Array], weights: Mapping[str, Any], what: str) -> None:
    """Copies weights into arrays of the same names after all are checked. Raises T7Error."""
    lacking, extra = own.keys() - weights.keys(), weights.keys() - own.keys()
    for missing, words in ((lacking, "no weights for"), (extra, "no tensor")):
        if missing:
            listed = ", ".join(f"'{name}'" for name in sorted(missing)[:4])
            more = f" and {len(missing) - 4} more" if len(missing) > 4 else ""
            raise T7Error(plain(f"{what}: {words} {listed}{more}"))
    given = {name: np.asarray(weight) for name, weight in weights.items()}
    for name, array in own.items():
        weight = given[name]
        if weight.shape != array.shape and (weight.size or array.size):
            raise T7Error(plain(f"{what}: '{name}' has shape {array.shape} (got {weight.shape})"))
        if not np.can_cast(weight.dtype, array.dtype, "same_kind"):
            message = f"{what}: '{name}' has elements of {array.dtype} (got {weight.dtype})"
            raise T7Error(plain(message))
    for name, array in own.items():
        if array.size:
            array[...] = given[name]
