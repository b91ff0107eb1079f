"""Streams, events and copies in the meantime: the calls of CUDA that they make, on a recording of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from t7shell.packages.cutorch import device, streams  # noqa: E402

Lua = Callable[[str], str]


class Stream:
    """A stream that records the calls of its methods."""

    def __init__(self, log: list[str], name: str) -> None:
        self.log, self.name = log, name

    def wait_stream(self, other: Stream) -> None:
        self.log.append(f"{self.name} waits for {other.name}")

    def synchronize(self) -> None:
        self.log.append(f"synchronize {self.name}")


class Cuda:
    """torch.cuda of two devices, as far as streams use it."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.made = {0: 0, 1: 0}
        self.current: dict[int, Stream] = {}

    def Stream(self, where: Any) -> Stream:
        self.made[where.index] += 1
        return Stream(self.log, f"{where.index}:{self.made[where.index]}")

    def default_stream(self, where: Any) -> Stream:
        return Stream(self.log, f"{where.index}:0")

    def set_stream(self, stream: Stream) -> None:
        self.log.append(f"set {stream.name}")
        self.current[int(stream.name[0])] = stream

    def current_stream(self, where: Any) -> Stream:
        return self.current.get(where.index, self.default_stream(where))

    def set_device(self, where: Any) -> None:
        self.log.append(f"device {where.index}")

    def synchronize(self, where: Any) -> None:
        self.log.append(f"synchronize {where}")


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Cuda:
    fake = Cuda()
    monkeypatch.setattr(torch, "cuda", fake)
    monkeypatch.setattr(device, "_devices", [torch.device("cuda", 0), torch.device("cuda", 1)])
    monkeypatch.setattr(device, "_chosen", 1)
    monkeypatch.setattr(streams, "_streams", {})
    return fake


def test_a_stream_is_chosen_on_all_devices(cuda: Cuda) -> None:
    streams.reserve_streams(2)
    streams.reserve_streams(1)
    assert cuda.made == {0: 2, 1: 2}
    streams.set_stream(2)
    # Choosing a stream chooses its device: that of the chosen device comes last.
    assert cuda.log == ["set 1:2", "set 0:2"]
    device.set_device(2)
    streams.synchronize_stream()
    streams.set_stream(0)
    assert cuda.log[2:] == ["device 1", "synchronize 1:2", "set 0:0", "set 1:0"]


def test_streams_wait_for_others(cuda: Cuda) -> None:
    streams.reserve_streams(1)
    streams.stream_waits(1, 0, 2, 1)
    device.synchronize(2)
    assert cuda.log == ["0:0 waits for 1:1", "synchronize cuda:1"]


def test_memory_is_kept_for_a_stream_that_uses_it(cuda: Cuda) -> None:
    seen = []

    class Buffer:
        device = torch.device("cuda", 0)

        def record_stream(self, stream: Stream) -> None:
            seen.append(stream.name)

    streams.reserve_streams(1)
    streams.set_stream(1)
    streams.use_on_stream(Buffer())  # type: ignore[arg-type]
    assert seen == ["0:1"]


def test_the_shell_asks_for_what_a_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from t7shell import Runtime
    from tests.backends import running
    from tests.lua_output import printer

    log: list[tuple[Any, ...]] = []
    for name in ("reserve_streams", "set_stream", "stream_waits", "synchronize_stream", "use_on_stream"):
        monkeypatch.setattr(streams, name, lambda *given, name=name: log.append((name, *given)))
    monkeypatch.setenv("T7_CUDA_DEVICES", "2")
    with running("pytorch:cpu"):
        runtime = Runtime()
    source = """
    require 'cutorch'
    local x = torch.CudaTensor(3):fill(1):add(1)
    cutorch.reserveStreams(2)
    cutorch.setStream(1)
    x:add(1)
    x:add(1)
    cutorch.streamWaitFor(1, {0, 2})
    cutorch.streamWaitForMultiDevice(2, 0, {[1] = {2}})
    cutorch.streamBarrier({1, 2})
    cutorch.streamSynchronize()
    cutorch.setDefaultStream()
    print(cutorch.getStream(), cutorch.getNumStreams(), pcall(cutorch.setStream, 3))
    """
    with running("pytorch:cpu"):
        out = printer(runtime.engine)(source)
    assert out.startswith("0\t2\tfalse\t") and "stream must be a whole number from 0 to 2 (got 3)" in out
    assert [entry[:1] if entry[0] == "use_on_stream" else entry for entry in log] == [
        ("reserve_streams", 2), ("set_stream", 1), ("use_on_stream",), ("stream_waits", 1, 1, 1, 0),
        ("stream_waits", 1, 1, 1, 2), ("stream_waits", 2, 0, 1, 2), ("stream_waits", 1, 1, 1, 2),
        ("stream_waits", 1, 2, 1, 1), ("synchronize_stream",), ("set_stream", 0),
    ]  # fmt: skip


def test_events_are_recorded_where_they_are_made(lua: Lua) -> None:
    source = """
    local event = cutorch.Event()
    print(event:query(), event:record(), event:waitOn(), event:synchronize())
    """
    assert lua(source) == "true\tnil\tnil\n"


def test_copies_in_the_meantime(lua: Lua) -> None:
    source = """
    local pinned = cutorch.createCudaHostTensor(3, 4):copy(torch.range(1, 12))
    local x = torch.CudaTensor(3, 4):copyAsync(pinned)
    x:mul(2)
    pinned:copyAsync(x)
    cutorch.synchronize()
    print(pinned:sum(), pinned:type(), x:sum())
    local t, d = torch.CudaTensor(4, 3), torch.DoubleTensor(3, 4)
    local part = x:narrow(2, 2, 2)
    print(t:t():copyAsync(pinned):sum(), d:copyAsync(x):sum(), part:copyAsync(d:narrow(2, 1, 2)):sum())
    print(cutorch.createCudaHostLongTensor(2):type(), pcall(x.copyAsync, x, torch.FloatTensor(5)))
    """
    lines = lua(source).splitlines()
    assert lines[:2] == ["156\ttorch.FloatTensor\t156", "156\t156\t66"]
    assert lines[2].startswith("torch.LongTensor\tfalse\t") and "copy" in lines[2]


def test_copies_are_asked_not_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Noted(torch.Tensor):  # type: ignore[misc, name-defined]
        def copy_(self, source: Any, non_blocking: bool = False) -> Any:
            asked.append(non_blocking)
            return torch.Tensor.copy_(self, source)

    import numpy as np

    host = np.arange(4, dtype=np.float32)
    target = torch.zeros(4).as_subclass(Noted)
    device.upload_to_view(target, host.ctypes.data, 4, "float32", True)
    device.upload_to_view(target, host.ctypes.data, 4, "float32", False)
    assert asked == [True, False] and target.tolist() == [0, 1, 2, 3]
