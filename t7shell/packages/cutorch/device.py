"""The devices that PyTorch computes on: buffers on them, and views of buffers.

The devices are those of one kind, numbered from 1; new work goes to the current one. PyTorch's CPU is one
device, or emulates several, for programs that distribute work over devices. A buffer is a contiguous
`torch.Tensor`, a view one of any sizes on the same memory. Addresses are those of blocks of the host,
`count` elements long.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from t7shell.engine import process
from t7shell.host.memory import vector

_devices = [torch.device("cpu")]
_chosen = 1
# States of the random numbers of the devices that PyTorch's CPU emulates, but for the current one.
_states: dict[int, torch.Tensor] = {}


def device(number: float = 0) -> torch.device:
    """The device of a number, by default the current one."""
    return _devices[int(number or _chosen) - 1]


def open_device(name: str, presented: float = 1) -> str | None:
    """Chooses the device of a name such as 'cuda:0', 'mps' or 'cpu'; returns a message if it cannot compute.

    The CPU emulates `presented` devices.
    """
    global _devices, _chosen
    try:
        opened = torch.device(name)
        torch.zeros(1, device=opened).item()
    except (RuntimeError, AssertionError) as reason:
        return str(reason).splitlines()[0]
    _states.clear()
    if opened.type == "cuda":
        _devices = [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
        _chosen = (opened.index or 0) + 1
        torch.cuda.set_device(opened)
    else:
        _devices, _chosen = [opened] * (int(presented) if opened.type == "cpu" else 1), 1
    process.holds_gpu = opened.type != "cpu"
    if opened.type == "cpu":
        # Results must not depend on the number of cores, and a prompt forks.
        torch.set_num_threads(1)
    return None


def best_device() -> str | None:
    """The name of the first GPU there is."""
    if torch.cuda.is_available():
        return "cuda:0"
    if torch.backends.mps.is_available():
        return "mps"
    return None


def device_count() -> float:
    """The number of devices."""
    return float(len(_devices))


def current_device() -> float:
    """The number of the current device."""
    return float(_chosen)


def set_device(number: float) -> None:
    """Makes another device the current one."""
    global _chosen
    if int(number) == _chosen:
        return
    if device().type == "cuda":
        torch.cuda.set_device(device(number))
    else:
        _states[_chosen] = torch.get_rng_state()
        if int(number) in _states:
            torch.set_rng_state(_states[int(number)])
    _chosen = int(number)


def device_name(number: float = 0) -> str:
    """The product name of a device."""
    where = device(number)
    return torch.cuda.get_device_name(where) if where.type == "cuda" else f"PyTorch {where}"


def device_memory(number: float = 0) -> tuple[float, float] | None:
    """Free and total bytes of a GPU; None for devices that use the memory of the machine."""
    if device(number).type != "cuda":
        return None
    free, total = torch.cuda.mem_get_info(device(number))
    return float(free), float(total)


def device_properties(number: float) -> tuple[float, float, float] | None:
    """Major and minor number of a GPU's architecture, and its multiprocessors; None for other devices."""
    if device(number).type != "cuda":
        return None
    found = torch.cuda.get_device_properties(device(number))
    return float(found.major), float(found.minor), float(found.multi_processor_count)


def can_access_peer(number: float, other: float) -> bool:
    """Whether a device reads the memory of another one."""
    if device().type != "cuda" or number == other:
        return True
    return bool(torch.cuda.can_device_access_peer(device(number), device(other)))


def synchronize(number: float = 0) -> None:
    """Waits for all work of a device."""
    if device().type == "cuda":
        torch.cuda.synchronize(device(number))
    elif device().type == "mps":
        torch.mps.synchronize()


def seed(value: float) -> None:
    """Seeds the random numbers of the current device."""
    number = int(value) % 2**63
    if device().type == "cuda":
        torch.cuda.manual_seed(number)
    else:
        # Those of PyTorch's CPU, or of Apple's GPU.
        torch.manual_seed(number)


def time_algorithms(wanted: bool) -> None:
    """Makes cuDNN time its algorithms for new sizes, and use the fastest."""
    torch.backends.cudnn.benchmark = bool(wanted)


def generator_state() -> bytes:
    """The state of the random numbers of the current device."""
    state = torch.cuda.get_rng_state(device()) if device().type == "cuda" else _others().get_rng_state()
    return bytes(state.tolist())


def set_generator_state(state: str) -> None:
    """Restores a state of `generator_state`, given as Latin-1 text."""
    numbers = torch.tensor(list(state.encode("latin-1")), dtype=torch.uint8)
    if device().type == "cuda":
        torch.cuda.set_rng_state(numbers, device())
    else:
        _others().set_rng_state(numbers)


def _others() -> Any:
    return torch.mps if device().type == "mps" else torch


def release_unused() -> None:
    """Releases the memory that PyTorch caches."""
    if device().type == "cuda":
        torch.cuda.empty_cache()
    elif device().type == "mps":
        torch.mps.empty_cache()


def out_of_memory(reason: BaseException) -> bool:
    """Whether an exception says that the device has too little memory."""
    return isinstance(reason, torch.OutOfMemoryError) or any(
        words in str(reason) for words in ("not enough memory", "can't allocate memory", "out of memory")
    )


def buffer(dtype: str, number: float, *sizes: float) -> torch.Tensor | str | None:
    """A new buffer on a device, as a contiguous tensor of some sizes.

    A message if memory is short, None if the device has no such elements.
    """
    try:
        return torch.empty(
            tuple(map(int, sizes)), dtype=getattr(torch, dtype), device=_devices[int(number) - 1]
        )
    except (RuntimeError, TypeError) as reason:
        if not out_of_memory(reason):
            return None
    size = int(math.prod(sizes)) * np.dtype(dtype).itemsize
    shape = "x".join(str(int(length)) for length in sizes)
    return f"out of memory: cannot allocate {size} bytes for [{shape}] elements on {device(number)}"


def upload(target: torch.Tensor, address: int, count: int, dtype: str) -> None:
    """Copies `count` elements at an address to the start of a buffer."""
    target.view(-1)[: int(count)].copy_(_on_host(address, count, dtype))


def download(source: torch.Tensor, address: int, count: int, dtype: str) -> None:
    """Copies the first `count` elements of a buffer to an address, after all earlier work."""
    _on_host(address, count, dtype).copy_(source.view(-1)[: int(count)])


def upload_to_view(target: torch.Tensor, address: int, count: int, dtype: str, non_blocking: bool) -> None:
    """Copies elements at an address to a contiguous view.

    With `non_blocking`, a copy from pinned memory may not be complete when this returns.
    """
    target.view(-1).copy_(_on_host(address, count, dtype), non_blocking=non_blocking)


def download_async(source: torch.Tensor, address: int, count: int, dtype: str) -> None:
    """Starts to copy a contiguous view to an address; to pinned memory it may return before."""
    _on_host(address, count, dtype).copy_(source.view(-1), non_blocking=True)


def _on_host(address: int, count: int, dtype: str) -> torch.Tensor:
    return torch.from_numpy(vector(int(address), dtype, int(count), np.dtype(dtype).itemsize))


def view(source: torch.Tensor, offset: int, dim: int, *geometry: int) -> torch.Tensor:
    """A view of a buffer: `dim` sizes and `dim` strides, in elements, which the caller has checked."""
    numbers = [int(number) for number in geometry]
    return source.as_strided(numbers[: int(dim)], numbers[int(dim) :], int(offset))


def element(source: torch.Tensor, position: int) -> float:
    """The element at a position from 0."""
    return float(source.view(-1)[int(position)].item())


def set_element(target: torch.Tensor, position: int, value: float) -> None:
    """Sets the element at a position from 0."""
    target.view(-1)[int(position)] = value
