"""Groups and datasets of HDF5 files. Elements go directly between the file and the memory of a tensor.

Files, groups and datasets are objects of h5py, and positions count from 0. Functions whose work fails return
(None, message).
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

import h5py
import numpy as np

from t7shell.host.child_process import in_child
from t7shell.host.memory import Array
from t7shell.packages.exchange.values import Reader, Writer, array_at, from_lua, tensor_type
from t7shell.packages.hdf5 import disk_space
from t7shell.packages.hdf5.opening import answering, checked, reject_links, trusts, writing

Answer = tuple[Any, ...]


def is_open(thing: Any) -> bool:
    """Whether an object can still be used."""
    return bool(thing)


@answering
def child(group: Any, path: str) -> Answer:
    """The group or dataset at a path below a group."""
    name = from_lua(path)
    trusted = trusts(group)
    if not trusted:
        reject_links(group.file if name.startswith("/") else group, name)
    try:
        # As bytes, which h5py looks up as they are.
        found = group[name.encode() if name.strip("/") else "/"]
    except KeyError:
        return None, f"no '{name}' in {group.name}"
    if not trusted:
        checked(found)
    return ("dataset" if isinstance(found, h5py.Dataset) else "group"), found


def path(thing: Any) -> bytes:
    """The path in the file."""
    return str(thing.name).encode()


def names(group: Any) -> Answer:
    """The names of the members, in their order in the file."""
    return tuple(str(name).encode() for name in group)


# Not cached: types whose metadata differ, such as strings and other lists of variable length, compare equal.
def _is_text(dtype: Any) -> bool:
    return h5py.check_string_dtype(dtype) is not None or dtype.kind in "SU"


@answering
def describe(dataset: Any) -> Answer:
    """The type of tensor for its elements and its sizes."""
    dtype = dataset.dtype
    kind = "string" if _is_text(dtype) else tensor_type(dtype)
    return (kind, *map(float, dataset.shape))


# The library may not terminate on damaged strings of variable length, so they are read in another process.
# The time limit in seconds for all of them, and for each element.
_TIMEOUT, _PER_ELEMENT = 20, 1e-3


def _is_varying(dataset: Any) -> bool:
    information = h5py.check_string_dtype(dataset.dtype)
    return information is not None and information.length is None


def _texts(datasets: list[Any]) -> list[Any]:
    """The contents of string datasets; another process reads those of variable length."""
    varying = [dataset for dataset in datasets if _is_varying(dataset)]
    seconds = _TIMEOUT + _PER_ELEMENT * sum(dataset.size for dataset in varying)
    found = in_child(lambda: [_plain_text(dataset) for dataset in varying], seconds) if varying else []
    rest = iter(found)
    return [next(rest) if _is_varying(dataset) else _plain_text(dataset) for dataset in datasets]


def _plain_text(dataset: Any) -> Any:
    value = dataset[()]
    if isinstance(value, np.ndarray):
        return [item if isinstance(item, bytes) else str(item) for item in value.flat]
    return value


@answering
def text(dataset: Any) -> Any:
    """The string in a dataset, or the list of its strings."""
    return Reader(_texts([dataset])[0])


class _Everything:
    """All values below a group: nested dicts of arrays; strings are read together at the end."""

    def __init__(self, thing: Any) -> None:
        self._strings: list[tuple[dict[str, Any], str, Any]] = []
        root: dict[str, Any] = {}
        root[""] = self._read(thing, (), root, "")
        texts = _texts([dataset for _, _, dataset in self._strings])
        for (found, name, _), value in zip(self._strings, texts, strict=True):
            found[name] = value
        self.value = root[""]

    def _read(self, thing: Any, above: tuple[int, ...], to: dict[str, Any], key: str) -> Any:
        if isinstance(thing, h5py.Dataset):
            if _is_text(thing.dtype):
                self._strings.append((to, key, thing))
                return None
            tensor_type(thing.dtype)
            return np.asarray(thing[()])
        here = h5py.h5o.get_info(thing.id).addr
        if here in above:
            raise ValueError(f"{thing.name} is a link to a group that it is in")
        trusted = trusts(thing)
        found: dict[str, Any] = {}
        for name in thing:
            if not trusted:
                reject_links(thing, name)
            item = thing[name]
            found[name] = self._read(item if trusted else checked(item), (*above, here), found, name)
        return found


@answering
def all(thing: Any) -> Any:
    """Everything below a group, or in a dataset."""
    return Reader(_Everything(thing).value)


# Their creation takes as long as reading a row.
_dataspace = lru_cache(256)(h5py.h5s.create_simple)
_type = lru_cache(256)(h5py.h5t.py_create)


def _selected(dataset: Any, numbers: tuple[float, ...]) -> tuple[Any, tuple[int, ...]] | None:
    """The dataspace with a box selected, and how many elements that has along each dimension.

    A box is start, count, step and size of the dataset for each dimension in turn; None if the dataset
    has other sizes.
    """
    whole = tuple(map(int, numbers))
    starts, counts, steps = whole[::4], whole[1::4], whole[2::4]
    space = dataset.id.get_space()
    if space.shape != whole[3::4]:
        return None
    # A dataset without dimensions has one element and no boxes.
    if counts and 0 not in counts:
        space.select_hyperslab(starts, counts, steps)
    return space, counts


def _target(dataset: Any, address: float, sizes: tuple[float, ...]) -> Array:
    """The memory of a tensor of the dataset's type, as an array to read into."""
    array = array_at(tensor_type(dataset.dtype), address, sizes)
    return array.view(bool) if dataset.dtype.kind == "b" else array


@answering
def read(dataset: Any, address: float | None, *numbers: float) -> Any:
    """Copies a box to the memory of a tensor of the dataset's type: True; without an address, its number.

    False if the dataset has other sizes.
    """
    box = _selected(dataset, numbers)
    if box is None:
        return False
    space, counts = box
    if 0 in counts:
        return True
    shape = counts or (1,)
    target = np.empty(shape, dataset.dtype) if address is None else _target(dataset, address, shape)
    dataset.id.read(_dataspace(shape), space, target, _type(target.dtype))
    return float(target.item()) if address is None else True


@writing
def write(dataset: Any, kind: Any, address: Any, *numbers: float) -> Any:
    """Copies a number, or the elements of a contiguous tensor, to a box of a dataset: True.

    False if the dataset has other sizes.
    """
    box = _selected(dataset, numbers)
    if box is None:
        return False
    space, counts = box
    if address is None:
        dataset[_slices(numbers)] = kind
    elif 0 not in counts:
        shape = counts or (1,)
        values = array_at(kind, address, shape)
        if dataset.dtype.kind == "b":
            values = values != 0
        if values.nbytes < disk_space.AHEAD or dataset.compression is None:
            disk_space.reserve(dataset, values.nbytes)
        dataset.id.write(_dataspace(shape), space, values, _type(values.dtype))
    return True


def _slices(numbers: tuple[float, ...]) -> tuple[slice, ...]:
    boxes = (map(int, numbers[at : at + 3]) for at in range(0, len(numbers), 4))
    return tuple(slice(start, start + (count - 1) * step + 1, step) for start, count, step in boxes)


@answering
def masked(dataset: Any, address: float, mask: float, dimensions: float, *sizes: float) -> Any:
    """Copies elements, or rows, where a ByteTensor is not 0, to a tensor of the dataset's type."""
    own, kept = sizes[: int(dimensions)], sizes[int(dimensions) :]
    dataset.read_direct(_target(dataset, address, kept), array_at("Byte", mask, own) != 0)
    return True


@writing
def put_masked(dataset: Any, address: float, dimensions: float, *rest: Any) -> Any:
    """Sets the elements, or rows, where a ByteTensor is not 0, to a number or to those of a tensor."""
    sizes, values = rest[: int(dimensions)], rest[int(dimensions) :]
    mask = array_at("Byte", address, sizes) != 0
    shape = (int(mask.sum()), *dataset.shape[mask.ndim :])
    if len(values) == 1:
        # h5py broadcasts a number to elements, but not to rows.
        dataset[mask] = values[0] if len(shape) == 1 else np.full(shape, values[0], dataset.dtype)
        return None
    kind, source, count = values
    if int(count) != prod(shape):
        return None, f"as many elements as the mask takes expected: {prod(shape)} (got {int(count)})"
    if count:
        dataset[mask] = array_at(kind, source, (count,)).reshape(shape)
    return None


@writing
def create(
    group: Any, path: str, writer: Writer, growing: bool, deflate: float, shuffle: bool, *chunks: float
) -> Any:
    """Writes a value at a new path: a dataset for a tensor, number or string, groups for tables.

    `deflate` is the level of compression, -1 for none.
    """
    options: dict[str, Any] = {"shuffle": True} if shuffle else {}
    if deflate >= 0:
        options |= {"compression": "gzip", "compression_opts": int(deflate)}
    _create(group, from_lua(path), writer.value, growing, options, tuple(int(size) for size in chunks))
    return None


def _create(
    group: Any, name: str, value: Any, growing: bool, options: dict[str, Any], chunks: tuple[int, ...]
) -> None:
    if name.strip("/") and name in group:
        raise ValueError(f"'{name}' exists already")
    if isinstance(value, dict):
        inner = group.require_group(name) if name.strip("/") else group
        for key, item in value.items():
            _create(inner, str(key), item, growing, options, chunks)
    elif isinstance(value, np.ndarray):
        own = dict(options)
        if chunks:
            if len(chunks) != value.ndim:
                raise ValueError(f"expected chunks of {value.ndim} sizes for '{name}' (got {len(chunks)})")
            # As in Torch7, all dimensions of a dataset in chunks may grow.
            own |= {"chunks": chunks, "maxshape": (None,) * value.ndim}
        elif growing:
            own |= {"maxshape": (None, *value.shape[1:]), "chunks": True}
        if "compression" not in own:
            disk_space.reserve(group, value.nbytes)
        group.create_dataset(name, data=value, **own)
    else:
        group.create_dataset(name, data=value)


@writing
def resize(dataset: Any, *sizes: float) -> Any:
    """Changes the sizes of a dataset that was created as growing."""
    dataset.resize(tuple(int(size) for size in sizes))
    return None
