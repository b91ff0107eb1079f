"""Objects in the order of a file, read into arrays, lists, dictionaries and objects.

Tables are read into nodes first, since only their keys tell lists from dictionaries; at the end the
containers are made and filled, which handles cycles. An object whose parts follow in the file is a generator
that is sent each of them; the generators are kept in a list, so that nesting may have any depth.
"""

from __future__ import annotations

import math
import re
from collections.abc import Generator, Sequence
from types import GeneratorType
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import as_strided

from t7shell.t7file.model import (
    DTYPES,
    GENERATOR,
    GENERATOR_BYTES,
    INDEXED,
    ON_DEVICE,
    OWN_FORMATS,
    TAG,
    TIMER,
    Array,
    Function,
    Object,
    Storage,
    T7FileError,
)
from t7shell.t7file.nodes import Node, resolve
from t7shell.t7file.source import AsciiSource, Source

_MAX_DIMENSIONS = 64  # NumPy's limit
# A generator that is sent the parts of an object one after the other, and returns the object.
Parts: TypeAlias = Generator[None, Any, Any]
# The beginning of the string with the names of dimensions, in binary and in ascii.
_NAMES = re.compile(rb"(?:\x02\0\0\0.{4}|\s*2\s+\d+\s)t7shell\.names\n", re.S)


class MoreFollows(T7FileError):
    """Other data follows the object, `value`."""

    def __init__(self, message: str, value: Any) -> None:
        super().__init__(message)
        self.value = value


_DEVICE = "torch.Cuda"


class ObjectReader:
    """Reads the object of a source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.objects: dict[int, Any] = {}
        self.nodes: list[Node] = []
        self.holders: list[Object | Function] = []

    def whole(self) -> Any:
        """Reads the object of the file, after which only white space may follow. Raises MoreFollows."""
        source = self.source
        value = self._value()
        self._skip_names()
        rest = self._rest()
        if rest:
            follows = f"the object ends here, but {rest} bytes follow (load_all reads several objects)"
            raise MoreFollows(str(source.fail(follows)), self._resolved(value))
        return self._resolved(value)

    def all(self) -> list[Any]:
        """Reads the objects of the file one after the other; later ones may refer to those before."""
        values = [self._value()]
        self._skip_names()
        while self._rest():
            values.append(self._value())
            self._skip_names()
        return [self._resolved(value) for value in values]

    def _rest(self) -> int:
        """The number of bytes that follow; 0 where they are white space of an ascii file."""
        source = self.source
        rest = source.size - source.pos
        blank = isinstance(source, AsciiSource) and not bytes(source.data[source.pos :]).strip()
        return 0 if blank else rest

    def _resolved(self, value: Any) -> Any:
        nodes, holders = self.nodes, self.holders
        self.nodes, self.holders = [], []
        for node in nodes:
            node.choose()
        for node in nodes:
            node.fill()
        for holder in holders:
            if isinstance(holder, Object):
                holder.fields = resolve(holder.fields)
            else:
                holder.upvalues = resolve(holder.upvalues)
        return resolve(value)

    def _skip_names(self) -> None:
        """Skips dimension names, a string after the object (lua/torch/io/tensor_format.lua)."""
        source = self.source
        if _NAMES.match(bytes(source.data[source.pos : source.pos + 100])):
            source.integer("type of an object")
            source.text("names of dimensions")

    def _value(self) -> Any:
        """Reads one object; the generators on the stack wait for parts."""
        stack: list[Parts] = []
        while True:
            value = self._start()
            if type(value) is GeneratorType:
                stack.append(value)
                value = None  # starts a generator
            while stack:
                try:
                    stack[-1].send(value)
                    break
                except StopIteration as end:
                    stack.pop()
                    value = end.value
            else:
                return value

    def _start(self) -> Any:
        """Reads the beginning of an object: its value, or its generator if parts follow."""
        source = self.source
        at = source.pos
        tag = source.integer("type of an object (0 to 8)")
        if tag == TAG.NUMBER:
            return _number(source.number())
        if tag == TAG.STRING:
            return _string(source.text("string"))
        if tag == TAG.NIL:
            return None
        if tag == TAG.BOOLEAN:
            truth = source.integer("0 or 1")
            if truth not in (0, 1):
                raise source.fail(f"expected 0 or 1 for a boolean, found {truth}", at)
            return truth == 1
        if tag == TAG.PLAIN_FUNCTION:
            return self._function(tag, None)
        if tag not in INDEXED:
            raise source.fail(f"expected type of an object (0 to 8), found {tag}", at)
        index = source.integer("index of an object")
        if index in self.objects:
            return self.objects[index]
        if tag == TAG.TABLE:
            return self._table(index)
        return self._torch(index) if tag == TAG.TORCH else self._function(tag, index)

    def _table(self, index: int) -> Parts:
        source = self.source
        at = source.pos
        count = source.integer("number of entries of a table")
        if count < 0 or source.min_bytes(count) > source.size - source.pos:
            left = source.size - source.pos
            raise source.fail(f"number of entries of a table: read {count}, with {left} bytes left", at)
        return (yield from self._entries(index, Node(source.fail), count))

    def _entries(self, index: int, node: Node, count: int) -> Parts:
        source = self.source
        self.nodes.append(node)
        self.objects[index] = node
        for i in range(1, count + 1):
            if node.listed:
                node.keys.append(i)
                node.values.append((yield))
                continue
            key = yield
            if key is None or (isinstance(key, float) and key != key):
                raise source.fail(f"expected key of a table, found {'nil' if key is None else key}")
            node.keys.append(key)
            node.values.append((yield))
        return node

    def _function(self, tag: int, index: int | None) -> Parts:
        function = Function(self.source.text("bytecode of a function"), None, tag)
        self.holders.append(function)
        if index is not None:
            self.objects[index] = function
        function.upvalues = yield
        return function

    def _torch(self, index: int) -> Any:
        source = self.source
        name = source.text("version of an object")
        version = 0
        if name.startswith(b"V ") and name[2:].isdigit() and len(name) < 12:
            version = int(name[2:])
            name = source.text("name of a class")
        typename = name.decode("latin-1")
        kind, sort = tensor_kind(typename)
        if sort == "Storage":
            storage = self._storage(index, kind)
            storage.of_device = typename.startswith(_DEVICE)
            return storage
        if sort == "Tensor":
            return self._tensor(index, kind, typename.startswith(_DEVICE))
        if typename in OWN_FORMATS:
            return self._own_format(index, typename, version)
        instance = Object(typename, None, version)
        self.objects[index] = instance
        if typename == GENERATOR:
            state = source.array("Byte", GENERATOR_BYTES, "state of a generator")
            instance.fields = {"state": state.tobytes()}
            return instance
        if typename == TIMER:
            instance.fields = {}
            return instance
        self.holders.append(instance)
        return self._fields(instance)

    def _own_format(self, index: int, typename: str, version: int) -> Any:
        """An object by the table of classes with a format of their own: a dict, a list or a count."""
        source, form = self.source, OWN_FORMATS[typename]
        at = source.pos
        count = source.long(f"number of a {typename}")
        if form == "long":
            instance = Object(typename, {"count": count}, version)
            self.objects[index] = instance
            return instance
        entries = count if form == "pairs" else (count + 1) // 2
        if count < 0 or source.min_bytes(entries) > source.size - source.pos:
            left = source.size - source.pos
            raise source.fail(f"number of entries of a {typename}: read {count}, with {left} bytes left", at)
        node = Node(source.fail)
        node.fields, node.listed = form == "pairs", form == "list"
        return self._entries(index, node, count)

    def _fields(self, instance: Object) -> Parts:
        at = self.source.pos
        fields = yield
        # The first versions of this library wrote the fields alone.
        if instance.typename == ON_DEVICE and isinstance(fields, Node) and "modules" not in fields.keys:
            fields = yield
        if not isinstance(fields, Node):
            raise self.source.fail(
                f"expected fields of a {instance.typename}, found {type(fields).__name__}: "
                "objects of a class with its own file format can only be read by the program that defines it",
                at,
            )
        fields.fields = True
        instance.fields = fields
        return instance

    def _tensor(self, index: int, kind: str, of_device: bool) -> Parts:
        source, dtype = self.source, DTYPES[kind]
        at = source.pos
        dim = source.integer(f"number of dimensions of a torch.{kind}Tensor")
        if not 0 <= dim <= _MAX_DIMENSIONS:
            limits = f"number of dimensions from 0 to {_MAX_DIMENSIONS}"
            raise source.fail(f"expected {limits}, found {dim}", at)
        sizes = [int(n) for n in source.array("Long", dim, "sizes")]
        strides = [int(n) for n in source.array("Long", dim, "strides")]
        offset = source.long("storage offset") - 1
        storage = yield
        if storage is None and not sizes:
            empty = np.empty(0, dtype).view(Storage)
            empty.of_device = of_device
            storage = empty
        if not isinstance(storage, Storage) or storage.dtype != dtype:
            raise source.fail(f"expected torch.{kind}Storage, found {type(storage).__name__}", at)
        try:
            self.objects[index] = view = _view(storage, sizes, strides, offset)
        except ValueError as reason:
            raise source.fail(str(reason), at) from None
        return view

    def _storage(self, index: int, kind: str) -> Storage:
        what = f"size of a torch.{kind}Storage"
        values = self.source.array(kind, self.source.long(what), what)
        storage = values.view(Storage)
        self.objects[index] = storage
        return storage


def _view(base: Storage, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    """A tensor by its sizes, strides and offset, in elements. Raises ValueError if it leaves its storage."""
    if not sizes:
        return as_strided(base[:0], (0,), (base.itemsize,))
    largest = max(math.prod(sizes), *strides) * base.itemsize
    if min(sizes) < 1 or min(strides) < 0 or offset < 0 or largest >= 2**63:
        raise ValueError(f"sizes {sizes}, strides {strides}, offset {offset + 1} are impossible")
    reach = offset + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
    if reach >= base.size:
        raise ValueError(f"a tensor that ends at element {reach + 1} of {base.size}")
    # The stride of a dimension of size 1 is never used.
    used = [step if n > 1 else min(step, 2**31) for n, step in zip(sizes, strides, strict=True)]
    return as_strided(base[offset:], sizes, [step * base.itemsize for step in used])


def tensor_kind(typename: str) -> tuple[str, str]:
    """('Double', 'Tensor') of 'torch.DoubleTensor'; ('', '') of any other class."""
    for sort in ("Tensor", "Storage"):
        if typename.startswith("torch.") and typename.endswith(sort):
            kind = typename[len("torch.") : -len(sort)]
            if kind.startswith("Cuda"):
                # Tensors of a GPU have the format of the CPU type.
                kind = kind[len("Cuda") :] or "Float"
            if kind in DTYPES:
                return kind, sort
    return "", ""


def _number(value: float) -> int | float:
    whole = abs(value) <= 2**53 and value == int(value)
    return int(value) if whole and not (value == 0 and math.copysign(1, value) < 0) else value


def _string(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data
