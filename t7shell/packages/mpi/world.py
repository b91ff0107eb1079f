"""MPI by mpi4py, on the memory of tensors: see `__init__.py` for the functions.

Importing this module starts MPI; mpi4py ends it when the process ends. A process that fails ends all others.
"""

from __future__ import annotations

import ctypes
import os
import zlib
from functools import lru_cache
from typing import Any

import numpy as np

from t7shell.engine import process
from t7shell.host.failures import returning_failures, returning_reasons
from t7shell.packages.mpi import library

MPI = library.load()
_comm = MPI.COMM_WORLD
_rank: int = _comm.Get_rank()
_size: int = _comm.Get_size()

_OPS = {"sum": MPI.SUM, "prod": MPI.PROD, "max": MPI.MAX, "min": MPI.MIN}
_TYPES = {
    "float64": MPI.DOUBLE, "float32": MPI.FLOAT, "int64": MPI.INT64_T, "int32": MPI.INT32_T,
    "int16": MPI.INT16_T, "int8": MPI.INT8_T, "uint8": MPI.UINT8_T,
}  # fmt: skip
# The prefix of messages of values, which distinguishes them from elements of tensors.
_VALUE = b"t7 value\x00\x93\xf1\x0e\x5a\xc4\x21\xbd"
_keys = np.zeros(1, np.int64)
_KEYS = [_keys, 1, MPI.INT64_T]

# Variables of the launchers: under an `mpiexec` of another library each process would be alone.
_COUNTS = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MPI_LOCALNRANKS")


def _end_all(status: int) -> None:
    """Ends all ranks, as one has failed."""
    if _size > 1 and not MPI.Is_finalized():
        _comm.Abort(status)


process.on_failure.append(_end_all)


def _words(reason: Exception) -> str:
    if isinstance(reason, MPI.Exception):
        return str(reason.Get_error_string()).partition("\n")[0]
    return str(reason)


# Decorators: failures become a message instead of None, or (None, message) instead of the result.
_reasons = returning_reasons(MPI.Exception, ValueError, words=_words)
_failures = returning_failures(MPI.Exception, ValueError, words=_words)


def _memory(address: float, count: float) -> Any:
    return MPI.buffer.fromaddress(int(address), int(count))


@lru_cache(1024)
def _elements(address: float, count: float, dtype: str) -> list[Any]:
    kind = _TYPES[dtype]
    return [_memory(address, count * kind.Get_size()), int(count), kind]


def _text(address: float, count: float) -> bytes:
    return ctypes.string_at(int(address), int(count)) if count else b""


@lru_cache(1024)
def _key(request: tuple[Any, ...]) -> int:
    """A number for a request: 31 bits, followed by the same bits inverted."""
    half = zlib.crc32(repr(request).encode()) >> 1
    return half << 31 | (half ^ 0x7FFFFFFF)


def _agree(*request: Any) -> None:
    """Waits for all ranks. Raises ValueError on all of them if their requests differ."""
    if _size == 1:
        return
    # A bit in which two keys differ is cleared in one of their halves. Two numbers would take two reductions.
    key = _key(request)
    _keys[0] = key
    _comm.Allreduce(MPI.IN_PLACE, _KEYS, op=MPI.BAND)
    if _keys[0] == key:
        return
    everyone = _comm.allgather(" ".join(map(str, request)))
    wanted = "; ".join(f"rank {rank}: {text}" for rank, text in enumerate(everyone))
    raise ValueError(f"the ranks disagree: {wanted}")


def start() -> tuple[int, int, int, int] | tuple[None, str]:
    """This process, and the number of all."""
    wanted = max([int(os.environ[name]) for name in _COUNTS if os.environ.get(name, "").isdigit()] or [1])
    if wanted > 1 and _size == 1:
        program = library.wheel_file("mpiexec") or "the mpiexec of the library that mpi4py uses"
        return None, f"{wanted} processes were started by an mpiexec of another MPI; use {program}"
    local = _comm.Split_type(MPI.COMM_TYPE_SHARED)
    neighbours = local.Get_size()
    local.Free()
    return _rank, _size, neighbours, _comm.Get_attr(MPI.TAG_UB)


@_reasons
def barrier() -> None:
    """Waits until all ranks have come here."""
    _agree("barrier")
    if _size == 1:
        _comm.Barrier()


@_reasons
def allreduce(address: float, count: float, dtype: str, op: str) -> None:
    """Combines the elements of all ranks, in place."""
    _agree("allreduce", op, int(count), dtype)
    _comm.Allreduce(MPI.IN_PLACE, _elements(address, count, dtype), op=_OPS[op])


@_reasons
def reduce(address: float, count: float, dtype: str, op: str, root: float) -> None:
    """Combines the elements of all ranks in the memory of the root."""
    _agree("reduce", op, int(count), dtype, "to", int(root))
    data = _elements(address, count, dtype)
    if _rank == int(root):
        _comm.Reduce(MPI.IN_PLACE, data, op=_OPS[op], root=int(root))
    else:
        _comm.Reduce(data, None, op=_OPS[op], root=int(root))


@_reasons
def broadcast(address: float, size: float, dtype: str, root: float) -> None:
    """Copies the memory of the root to all ranks."""
    _agree("broadcast", int(size), "bytes of", dtype, "from", int(root))
    _comm.Bcast([_memory(address, size), MPI.BYTE], root=int(root))


@_reasons
def gather(address: float, size: float, dtype: str, root: float | None, result: float) -> None:
    """Puts the memory of the ranks one after another, at the root or everywhere."""
    _agree("gather", int(size), "bytes of", dtype, "to", "all" if root is None else int(root))
    own = [_memory(address, size), MPI.BYTE]
    if root is None:
        _comm.Allgather(own, [_memory(result, size * _size), int(size), MPI.BYTE])
    else:
        whole = [_memory(result, size * _size), int(size), MPI.BYTE] if _rank == int(root) else None
        _comm.Gather(own, whole, root=int(root))


@_reasons
def scatter(source: float, address: float, size: float, dtype: str, root: float) -> None:
    """Gives each rank its part of the memory of the root."""
    _agree("scatter", int(size), "bytes of", dtype, "from", int(root))
    whole = [_memory(source, size * _size), int(size), MPI.BYTE] if _rank == int(root) else None
    _comm.Scatter(whole, [_memory(address, size), MPI.BYTE], root=int(root))


def _source(number: float) -> int:
    return int(number) if number >= 0 else int(MPI.ANY_SOURCE)


def _tag(number: float) -> int:
    return int(number) if number >= 0 else int(MPI.ANY_TAG)


@_reasons
def send(address: float, size: float, to: float, tag: float) -> None:
    """Sends memory to a rank."""
    _comm.Send([_memory(address, size), MPI.BYTE], dest=int(to), tag=int(tag))


@_failures
def receive(address: float, size: float, source: float, tag: float) -> int:
    """Receives memory of exactly this size. A message of another size is discarded with an error."""
    status = MPI.Status()
    message = _comm.Mprobe(_source(source), _tag(tag), status)
    count = status.Get_count(MPI.BYTE)
    if count == size:
        message.Recv([_memory(address, size), MPI.BYTE], status)
        return int(status.Get_source())
    data = bytearray(count)
    message.Recv([data, MPI.BYTE], status)
    sender = status.Get_source()
    if data.startswith(_VALUE):
        raise ValueError(f"expected a tensor of {int(size)} bytes from rank {sender} (got a value)")
    raise ValueError(f"expected {int(size)} bytes from rank {sender} (got {count})")


@_reasons
def exchange(address: float, size: float, to: float, source: float) -> None:
    """Sends memory to a rank, and replaces it by data from another one."""
    data = [_memory(address, size), MPI.BYTE]
    status = MPI.Status()
    _comm.Sendrecv_replace(data, dest=int(to), source=int(source), status=status)
    if status.Get_count(MPI.BYTE) != size:
        raise ValueError(f"expected {int(size)} bytes (got {status.Get_count(MPI.BYTE)})")


@_failures
def start_send(address: float, size: float, to: float, tag: float) -> Any:
    """Begins to send memory, which must stay as it is until `wait`."""
    return _comm.Isend([_memory(address, size), MPI.BYTE], dest=int(to), tag=int(tag))


@_failures
def start_receive(address: float, size: float, source: float, tag: float) -> Any:
    """Begins to receive into memory, which must stay where it is until `wait`."""
    return _comm.Irecv([_memory(address, size), MPI.BYTE], source=_source(source), tag=_tag(tag))


@_failures
def start_allreduce(address: float, count: float, dtype: str, op: str) -> Any:
    """Begins to combine the elements of all ranks, in place."""
    return _comm.Iallreduce(MPI.IN_PLACE, _elements(address, count, dtype), op=_OPS[op])


@_failures
def start_broadcast(address: float, size: float, root: float) -> Any:
    """Begins to copy the memory of the root to all ranks."""
    return _comm.Ibcast([_memory(address, size), MPI.BYTE], root=int(root))


@_failures
def wait(request: Any, size: float | None) -> int:
    """Waits until a request is done; `size` are the bytes that it receives."""
    status = MPI.Status()
    request.Wait(status)
    if size is not None and status.Get_count(MPI.BYTE) != size:
        count = status.Get_count(MPI.BYTE)
        raise ValueError(f"expected {int(size)} bytes from rank {status.Get_source()} (got {count})")
    return int(status.Get_source())


@_failures
def broadcast_value(address: float, size: float, root: float) -> tuple[bytes]:
    """The value of the root, as bytes."""
    _agree("broadcast", "of a value from", int(root))
    return (_comm.bcast(_text(address, size) if _rank == int(root) else None, root=int(root)),)


@_reasons
def send_value(address: float, size: float, to: float, tag: float) -> None:
    """Sends a value, as bytes."""
    _comm.Send([_VALUE + _text(address, size), MPI.BYTE], dest=int(to), tag=int(tag))


@_failures
def start_send_value(address: float, size: float, to: float, tag: float) -> Any:
    """Begins to send a value; the request keeps its bytes."""
    data = _VALUE + _text(address, size)
    return _comm.Isend([data, MPI.BYTE], dest=int(to), tag=int(tag))


@_failures
def receive_value(source: float, tag: float) -> tuple[bytes, int]:
    """Receives a value, as bytes, and the rank of its sender."""
    status = MPI.Status()
    message = _comm.Mprobe(_source(source), _tag(tag), status)
    data = bytearray(status.Get_count(MPI.BYTE))
    message.Recv([data, MPI.BYTE], status)
    sender = int(status.Get_source())
    if not data.startswith(_VALUE):
        raise ValueError(f"expected a value from rank {sender} (got a tensor of {len(data)} bytes)")
    return bytes(data[len(_VALUE) :]), sender


@_failures
def gather_values(address: float, size: float, root: float | None) -> tuple[bytes, ...]:
    """The values of all ranks, as bytes, at the root or everywhere; none elsewhere."""
    _agree("gather", "of values to", "all" if root is None else int(root))
    data = _text(address, size)
    found = _comm.allgather(data) if root is None else _comm.gather(data, root=int(root))
    return tuple(found or ())


@_failures
def scatter_values(root: float, *parts: str) -> tuple[bytes]:
    """The value that the root has for this rank, as bytes."""
    _agree("scatter", "of values from", int(root))
    texts = [part.encode("latin-1") for part in parts] if _rank == int(root) else None
    return (_comm.scatter(texts, root=int(root)),)
