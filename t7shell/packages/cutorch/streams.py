"""Streams and events of CUDA's devices. Other devices have none: calls on them have no effect.

A stream is a number, 0 for the default one; each device has streams of all numbers.
"""

from __future__ import annotations

from typing import Any

import torch

from t7shell.packages.cutorch import device as devices

# For each device, its streams from number 1 on.
_streams: dict[int, list[Any]] = {}


def _has_streams() -> bool:
    return bool(devices.device().type == "cuda")


def _cuda() -> Any:
    # Its classes have no types.
    return torch.cuda


def _stream(device: float, number: float) -> Any:
    where = devices.device(device)
    return _streams[int(device)][int(number) - 1] if number else torch.cuda.default_stream(where)


def reserve_streams(count: float) -> None:
    """Creates streams on each device up to this number."""
    if not _has_streams():
        return
    for device in range(1, int(devices.device_count()) + 1):
        made = _streams.setdefault(device, [])
        while len(made) < count:
            made.append(_cuda().Stream(devices.device(device)))


def set_stream(number: float) -> None:
    """Sets the current stream of each device by its number; the current device stays."""
    if not _has_streams():
        return
    chosen = devices.current_device()
    others = [float(n) for n in range(1, int(devices.device_count()) + 1) if n != chosen]
    # Setting a stream makes its device the current one.
    for device in [*others, chosen]:
        torch.cuda.set_stream(_stream(device, number))


def stream_waits(device: float, number: float, other_device: float, other: float) -> None:
    """Makes a stream of a device wait for the pending work of another one."""
    if _has_streams():
        _stream(device, number).wait_stream(_stream(other_device, other))


def synchronize_stream() -> None:
    """Waits for the work of the current stream of the current device."""
    if _has_streams():
        torch.cuda.current_stream(devices.device()).synchronize()
    else:
        devices.synchronize()


def use_on_stream(buffer: torch.Tensor) -> None:
    """Prevents reuse of the memory of a buffer before the work of the current stream on it is done."""
    if _has_streams():
        buffer.record_stream(torch.cuda.current_stream(buffer.device))


def new_event() -> Any:
    """An event, None if there are no streams."""
    return _cuda().Event() if _has_streams() else None


def event_call(event: Any, name: str) -> bool | None:
    """Calls a method of an event: record, query, synchronize or wait."""
    result: bool | None = getattr(event, name)()
    return result


def pinned(dtype: str, count: float) -> tuple[Any, int]:
    """Pinned memory of the host, for asynchronous copies: its keeper and its address."""
    memory = torch.empty(int(count), dtype=getattr(torch, dtype), pin_memory=_has_streams())
    return memory, memory.data_ptr()
