"""Networks of Torch7 in Python: loaded from files, called on NumPy arrays, trained."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, overload

import numpy as np

from t7shell.bridge.arrays import to_numpy
from t7shell.bridge.inputs import dtype_of, of_type
from t7shell.bridge.runtime import Runtime
from t7shell.bridge.values import LuaObject, LuaTable, plain, to_lua, to_python, unpacked
from t7shell.engine.errors import LuaError, T7Error
from t7shell.engine.luajit import binding
from t7shell.host import encoding
from t7shell.host.types import checked
from t7shell.t7file.model import Array, Object
from t7shell.t7file.modules import SCRATCH, assign, is_node, modules, tensors
from t7shell.t7file.reader import mode_of_file

# Type checkers accept `default`; Python has it since 3.13.
if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Output = TypeVar("Output", default=Array)
else:
    from typing import TypeVar

    Output = TypeVar("Output")

# Packages whose classes a file may name. nngraph's networks have nodes of the package graph.
PACKAGES = ("torch", "nn", "nngraph", "graph", "cudnn", "dpnn", "rnn")


class Model(Generic[Output]):
    """A network: a module of nn in a Lua state, here `module`.

    `model(x)` returns a new array, `model.forward(x)` one on the memory of the network's output, which the
    next call overwrites. Inputs and outputs are arrays of any shape that the network takes, and lists and
    dicts of them for tables. Arrays of floats become tensors of the network's type, other ones keep theirs;
    nested lists of numbers, such as `[[1.0, 2.0]]`, become tensors of the network's type as well.
    Errors of the network are LuaError.

    Its type, for type checkers, is that of its outputs: `Model[numpy.ndarray]` unless `load_model` is told.

    A lock serializes the methods. Only `model(x)` gives each thread a separate result: the arrays of
    `forward`, and the state that `backward` needs, are overwritten by the next call of any thread. A model
    may be pickled: the copy lives in a Lua state of its thread.
    """

    def __init__(self, module: LuaObject, output: type[Output] | None = None) -> None:
        if not isinstance(module, LuaObject):
            raise TypeError(f"Model: expected a module of nn (got {type(module).__name__})")
        self.module = module
        self._expected = output
        self._engine = module._engine
        self._send = self._engine.helper("shell.objects").send
        self._read_type()

    def __call__(self, x: Any) -> Output:
        """Computes the output for `x`; returns new arrays. Threads take turns."""
        with self._engine.lock:
            copied: Output = _copied(self.forward(x))
            return copied

    def forward(self, x: Any) -> Output:
        """Computes the output for `x`; returns arrays on its memory, which the next call overwrites."""
        output: Output = checked("Model: output", self._call("forward", self._input(x)), self._expected)
        return output

    def backward(self, x: Any, gradient: Any) -> Any:
        """Accumulates gradients of the parameters from that of the output, after `forward` of the same input.

        Returns the gradient of the input, on memory that the next call overwrites.
        """
        return self._call("backward", self._input(x), self._input(gradient))

    def zero_grad(self) -> None:
        """Sets the gradients of all parameters to zero."""
        self._call("zeroGradParameters")

    def train(self) -> Model[Output]:
        """Switches to training mode, in which Dropout drops and BatchNormalization uses batch statistics."""
        self._call("training")
        return self

    def eval(self) -> Model[Output]:
        """Switches to evaluation mode, in which the result for a sample does not depend on others."""
        self._call("evaluate")
        return self

    def float(self) -> Model[Output]:
        """Converts to single precision; arrays that `parameters` returned before become copies."""
        return self._converted("float")

    def double(self) -> Model[Output]:
        """Converts to double precision, as `float` does to single."""
        return self._converted("double")

    def parameters(self) -> dict[str, Array]:
        """The parameters by dotted name, such as '3.1.weight', in order: arrays on the network's memory."""
        return {tensor.name: tensor.array for tensor in self._tensors() if tensor.is_parameter}

    def gradients(self) -> dict[str, Array]:
        """The gradients of the parameters under the same names, on the network's memory."""
        found = [tensor for tensor in self._tensors() if tensor.is_parameter]
        return {tensor.name: tensor.gradient for tensor in found if tensor.gradient is not None}

    def state_dict(self) -> dict[str, Array]:
        """Parameters and buffers, such as running means, by dotted name: arrays on the network's memory."""
        return {tensor.name: tensor.array for tensor in self._tensors()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Copies arrays into those of `state_dict`, when all names and shapes agree. Raises T7Error."""
        assign(self.state_dict(), state, "load_state_dict")

    def modules(self) -> dict[str, LuaObject]:
        """The modules by dotted name; the network itself is ''."""
        found: dict[int, LuaObject] = {}
        with self._engine.lock:
            tree = _snapshot(self.module, found)
        return {name: found[id(item)] for name, item in modules(tree)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the network to a ``.t7`` file, which Torch7 reads."""
        self._save(path)

    def _save(self, path: str | os.PathLike[str], mode: str = "binary") -> None:
        self.module._save(path, mode)

    def __repr__(self) -> str:
        with self._engine.lock:
            return str(self.module)

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, (self.module, self._expected)

    def _call(self, method: str, *args: Any) -> Any:
        engine = self._engine
        with engine.lock:
            found = unpacked(engine.call(self._send, self.module.lua, method.encode(), *args), engine)
            return plain(found) if isinstance(found, LuaTable) else found

    def _input(self, x: Any) -> Any:
        """A Lua value of an input."""
        return to_lua(of_type(x, self._dtype), self._engine)

    def _converted(self, method: str) -> Model[Output]:
        with self._engine.lock:
            self._call(method)
            self._read_type()
        return self

    def _read_type(self) -> None:
        self.type = str(self._call("type"))     # such as 'torch.FloatTensor'
        self._dtype = dtype_of(self.type)

    def _tensors(self) -> list[Any]:
        with self._engine.lock:
            return list(tensors(_snapshot(self.module, {})))


@overload
def load_model(
    path: str | os.PathLike[str],
    *,
    key: str | float | None = ...,
    classes: Iterable[str] = ...,
    trusted: bool = ...,
    runtime: Runtime | None = ...,
) -> Model[Array]: ...


@overload
def load_model(
    path: str | os.PathLike[str],
    *,
    key: str | float | None = ...,
    classes: Iterable[str] = ...,
    trusted: bool = ...,
    runtime: Runtime | None = ...,
    output: type[Output],
) -> Model[Output]: ...


def load_model(
    path: str | os.PathLike[str],
    *,
    key: str | float | None = None,
    classes: Iterable[str] = (),
    trusted: bool = False,
    runtime: Runtime | None = None,
    output: type[Any] | None = None,
) -> Model[Any]:
    """Loads the network of a ``.t7`` file.

    `key` names one of several networks in a table, or is the path to one as `t7 inspect` prints it, such as
    'protos.rnn'. Nothing in the file runs: functions are replaced by ones that raise an error when called,
    and classes outside of `PACKAGES` are an error. `classes` lists further packages ('mynn') or classes
    ('mynn.Layer'), which the `runtime` must define; `trusted` lets everything be read. `output` is the type
    of the outputs, such as list for a network that returns a table: another one raises TypeError. The network
    has a separate state unless a `runtime` is given. Networks of a GPU become float.

    Raises LuaError if the file cannot be read, T7Error if it has no network, and OSError.
    """
    mode = mode_of_file(path)
    engine = (runtime or Runtime()).engine
    helper = engine.helper("shell.objects")
    engine.call(helper.require, b"nn").raise_for_status()
    if isinstance(classes, str):
        classes = (classes,)
    allowed = [encoding.to_bytes(name) for name in (*PACKAGES, *classes)]
    name = os.fspath(path)
    result = engine.call(helper.load, os.fsencode(name), mode.encode(), trusted, *allowed)
    try:
        value = unpacked(result, engine)
    except LuaError as error:
        rejected = re.search(r"class '([^']+)' at .* is not allowed$", error.message)
        if rejected:
            hint = f"hint: classes=[{rejected[1]!r}] allows the class, which `runtime` must define"
            error.__notes__.append(hint)
        raise
    module = _network(value, key, name)
    model: Model[Any] = Model(module, output)
    return model.float() if model.type.startswith("torch.Cuda") else model


def _network(value: Any, key: str | float | None, path: str) -> LuaObject:
    """Finds the network in the value of a file."""
    if key is not None:
        found = _at(value, key)
        if not isinstance(found, LuaObject) or not _is_network(found):
            names = ", ".join(_paths(value))
            raise T7Error(f"{path}: no network at the key {key!r}" + (f"; there is {names}" if names else ""))
        return found
    if isinstance(value, LuaObject) and _is_network(value):
        return value
    if not isinstance(value, LuaTable):
        kind = value.typename if isinstance(value, LuaObject) else type(value).__name__
        raise T7Error(f"{path}: expected a network (got {kind})")
    networks = {key: item for key, item in value.items() if _is_network(item)}
    if len(networks) != 1:
        names = ", ".join(map(repr, networks or _paths(value))) or "none"
        raise T7Error(f"{path}: one network expected in the table, found {names}; `key` names one")
    network: LuaObject = next(iter(networks.values()))
    return network


def _at(value: Any, key: str | float) -> Any:
    """The value at a key of a table, or at a path through tables, fields, and modules by their numbers."""
    if isinstance(value, LuaTable) and (found := value.get(key)) is not None:
        return found
    for name in str(key).split("."):
        if isinstance(value, LuaObject) and name.isdigit() and "modules" in value:
            value = value["modules"]
        if isinstance(value, LuaTable):
            found = value.get(name)
            value = value.get(int(name)) if found is None and name.isdigit() else found
        elif isinstance(value, LuaObject) and name in value:
            value = value[name]
        else:
            return None
    return value


def _paths(value: Any, path: str = "", depth: int = 0) -> list[str]:
    """The paths of the networks in nested tables."""
    if isinstance(value, LuaObject):
        return [path] if path and _is_network(value) else []
    found: list[str] = []
    if isinstance(value, LuaTable) and depth < 4:
        for key, item in value.items():
            found += _paths(item, f"{path}.{key}" if path else str(key), depth + 1)
    return found[:20]


def _is_network(value: Any) -> bool:
    return isinstance(value, LuaObject) and "forward" in value and "zeroGradParameters" in value


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return {key: _copied(item) for key, item in value.items()} if isinstance(value, dict) else value


def _snapshot(module: LuaObject, found: dict[int, LuaObject]) -> Object:
    """The tree of a network as `t7file.load` returns it, on the memory of its tensors.

    `found` receives the Lua objects by the ids of those in the tree. Scratch and nodes of graphs are left
    out.
    """
    engine = module._engine
    typename = engine.helper("shell.objects").typename
    root = Object(module.typename)
    found[id(root)] = module
    known: dict[str, Any] = {module._address(): root}
    stack: list[tuple[Any, dict[Any, Any], bool]] = [(module.lua, root.fields, True)]

    def converted(value: Any) -> Any:
        """A field's value; objects and tables go onto the stack."""
        name = typename(value)
        if binding().lua_type(value) != "table":
            return to_numpy(value, engine) if name is not None and name.endswith("Tensor") else None
        address = engine.address(value)
        if address not in known:
            made: Any = {} if name is None else Object(encoding.from_lua(name))
            known[address] = made
            if name is None:
                stack.append((value, made, False))
            elif not is_node(made):
                found[id(made)] = LuaObject(value, engine)
                stack.append((value, made.fields, True))
        return known[address]

    while stack:
        source, target, is_object = stack.pop()
        for raw, value in source.items():
            key = to_python(raw, engine)
            if not isinstance(key, (str, int, float, bool)):
                continue
            if isinstance(key, str) and is_object and (key in SCRATCH or key.startswith("_")):
                target[key] = None      # Modules are recognised by the presence of the field.
            elif value is None or isinstance(value, (bool, int, float, str)):
                target[key] = value
            else:
                target[key] = converted(value)
    return root
