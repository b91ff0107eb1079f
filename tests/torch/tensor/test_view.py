"""Random sequences of views and writes, compared with a model in NumPy after every step.

T7_PROPERTY sets the number of sequences; a failing one is repeated by its seed alone, T7_PROPERTY_SEED.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from t7shell.engine.engine import Engine
from tests.views_model import DTYPES, Array, Store, View

SEQUENCES = int(os.environ.get("T7_PROPERTY", "10"))
FIRST_SEED = int(os.environ.get("T7_PROPERTY_SEED", "1"))
STEPS = 60
POOL = 6

# P holds the tensors of a sequence. `state` shows a tensor without any of its ways to print.
HELPERS = """
P = {}
local function flatten(list, into)
   for _, v in ipairs(list) do
      if type(v) == 'table' then flatten(v, into) else into[#into + 1] = ('%.17g'):format(v) end
   end
   return into
end
local function list(s) return table.concat(flatten(s:totable(), {}), ' ') end
function state(k)
   local x = P[k]
   return ('%s;%s;%s;%d;%s;%s;%d;%s'):format(list(x:size()), list(x:stride()), list(x), x:storageOffset() - 1,
      tostring(x:isContiguous()), x:storage() and list(x:storage()) or '', x:nElement(), torch.type(x))
end
"""


class Differs(Exception):
    """The library and the model disagree."""


class Sequence:
    """A sequence of steps: each is run in Lua and on the model."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine = engine
        self.rng = random.Random(seed)
        self.pool: list[View] = []
        self.log: list[str] = []
        self.engine.execute("P = {} collectgarbage('step')")
        self.steps: list[Callable[[], None]] = [
            getattr(self, name)
            for name in sorted(dir(type(self)))
            if name.startswith(("view_", "write_", "other_"))
        ]

    # What steps are made of.

    def lua(self, source: str) -> None:
        self.log.append(source)
        result = self.engine.execute(source)
        if not result.ok:
            raise Differs(f"{result.message}, after\n{self.history()}")

    def history(self) -> str:
        return "\n".join(self.log)

    def put(self, source: str, view: View) -> None:
        """Puts a new tensor into the pool, in place of another one when there are many."""
        if len(self.pool) < POOL:
            self.pool.append(view)
            k = len(self.pool)
        else:
            k = self.rng.randint(1, POOL)
            self.pool[k - 1] = view
        self.lua(f"P[{k}] = {source}")

    def choose(self, **wanted: Any) -> tuple[str, View] | None:
        """A tensor of the pool that is not empty and has the given properties, None if there is none."""
        fits = [
            k
            for k, v in enumerate(self.pool)
            if v.dim and all(getattr(v, name) == value for name, value in wanted.items())
        ]
        if not fits:
            return None
        k = self.rng.choice(fits)
        return f"P[{k + 1}]", self.pool[k]

    def axis(self, view: View) -> int:
        return self.rng.randrange(view.dim)

    def value(self, kind: str) -> float:
        if DTYPES[kind][0] == "f":
            return self.rng.randint(-40, 40) / 2
        return self.rng.randint(0 if kind == "Byte" else -100, 100)

    def sizes(self) -> list[int]:
        return [self.rng.choice([1, 1, 2, 3, 4]) for _ in range(self.rng.choice([1, 2, 2, 3, 3, 4, 5]))]

    def other_new(self) -> None:
        kind = self.rng.choice(list(DTYPES))
        sizes = self.sizes()
        n = int(np.prod(sizes))
        values = [self.value(kind) for _ in range(n)]
        store = Store(kind, np.array(values, DTYPES[kind]), n)
        storage = f"torch.{kind}Storage{{{listed(values)}}}"
        self.put(
            f"torch.{kind}Tensor({storage}, 1, torch.LongStorage{{{listed(sizes)}}})", View(store, 0, sizes)
        )

    # Views.

    def view_narrow(self) -> None:
        if found := self.choose():
            name, v = found
            d = self.axis(v)
            first = self.rng.randrange(v.sizes[d])
            count = self.rng.randint(1, v.sizes[d] - first)
            self.put(f"{name}:narrow({d + 1}, {first + 1}, {count})", v.narrow(d, first, count))

    def view_sub(self) -> None:
        if found := self.choose():
            name, v = found
            arguments, result = [], v
            for d in range(self.rng.randint(1, v.dim)):
                first = self.rng.randrange(v.sizes[d])
                last = self.rng.randint(first, v.sizes[d] - 1)
                arguments += [first + 1, last - v.sizes[d] if self.rng.random() < 0.3 else last + 1]
                result = result.narrow(d, first, last - first + 1)
            self.put(f"{name}:sub({listed(arguments)})", result)

    def view_select(self) -> None:
        if found := self.choose():
            name, v = found
            if v.dim > 1:
                d = self.axis(v)
                index = self.rng.randrange(v.sizes[d])
                self.put(f"{name}:select({d + 1}, {index + 1})", v.select(d, index))

    def view_first_index(self) -> None:
        if found := self.choose():
            name, v = found
            if v.dim > 1:
                index = self.rng.randrange(v.sizes[0])
                written = index - v.sizes[0] if self.rng.random() < 0.3 else index + 1
                self.put(f"{name}[{written}]", v.select(0, index))

    def view_ranges(self) -> None:
        if found := self.choose():
            name, v = found
            place, result = self.place(v)
            if result.dim:
                self.put(f"{name}[{place}]", result)

    def place(self, v: View) -> tuple[str, View]:
        """An index in braces, and the view that it means: one without dimensions for a single element."""
        parts: list[str] = []
        # A separate view, even where the index means the whole tensor.
        result, d = v.with_(None, v.sizes, v.strides), 0
        for size in v.sizes[: self.rng.randint(1, v.dim)]:
            form = self.rng.choice(["number", "range", "all", "one"])
            first = self.rng.randrange(size)
            if form == "number":
                parts.append(str(first + 1))
                result = result.select(d, first)
                continue
            if form == "range":
                last = self.rng.randint(first, size - 1)
                parts.append(f"{{{first + 1}, {last - size}}}")
                result = result.narrow(d, first, last - first + 1)
            elif form == "one":
                parts.append(f"{{{first + 1}}}")
                result = result.narrow(d, first, 1)
            else:
                parts.append("{}")
            d += 1
        return "{" + ", ".join(parts) + "}", result

    def view_transpose(self) -> None:
        if found := self.choose():
            name, v = found
            a, b = self.axis(v), self.axis(v)
            order = list(range(v.dim))
            order[a], order[b] = order[b], order[a]
            self.put(f"{name}:transpose({a + 1}, {b + 1})", v.permute(order))

    def view_t(self) -> None:
        if found := self.choose(dim=2):
            self.put(f"{found[0]}:t()", found[1].permute([1, 0]))

    def view_permute(self) -> None:
        if found := self.choose():
            name, v = found
            order = self.rng.sample(range(v.dim), v.dim)
            # The order that there is gives the tensor itself.
            permuted = v if order == sorted(order) else v.permute(order)
            self.put(f"{name}:permute({listed(k + 1 for k in order)})", permuted)

    def view_unfold(self) -> None:
        if found := self.choose():
            name, v = found
            if v.dim < 6 and v.count < 200:
                d = self.axis(v)
                size, step = self.rng.randint(1, v.sizes[d]), self.rng.randint(1, 3)
                self.put(f"{name}:unfold({d + 1}, {size}, {step})", v.unfold(d, size, step))

    def view_expand(self) -> None:
        if found := self.choose():
            name, v = found
            sizes = [self.rng.randint(1, 3) if n == 1 else n for n in v.sizes]
            if np.prod(sizes) < 300:
                form = f"torch.LongStorage{{{listed(sizes)}}}" if self.rng.random() < 0.5 else listed(sizes)
                self.put(f"{name}:expand({form})", v.expand(sizes))

    def view_squeeze(self) -> None:
        if found := self.choose():
            name, v = found
            if v.count > 1:
                d = self.axis(v)
                if self.rng.random() < 0.5:
                    self.put(f"{name}:squeeze()", v.squeeze([k for k in range(v.dim) if v.sizes[k] > 1]))
                else:
                    keep = [k for k in range(v.dim) if k != d or v.sizes[k] > 1]
                    self.put(f"{name}:squeeze({d + 1})", v.squeeze(keep))

    def view_unsqueeze(self) -> None:
        if found := self.choose():
            name, v = found
            if v.dim < 6:
                at = self.rng.randint(0, v.dim)
                stride = v.sizes[at] * v.strides[at] if at < v.dim else 1
                sizes, strides = list(v.sizes), list(v.strides)
                sizes.insert(at, 1)
                strides.insert(at, stride)
                self.put(f"{name}:unsqueeze({at + 1})", v.with_(None, sizes, strides))

    def view_view(self) -> None:
        if found := self.choose(contiguous=True):
            name, v = found
            sizes = factors(v.count, self.rng)
            shown = list(sizes)
            if self.rng.random() < 0.4:
                shown[self.rng.randrange(len(shown))] = -1
            self.put(f"{name}:view({listed(shown)})", v.with_(None, sizes))

    def view_set(self) -> None:
        if found := self.choose():
            name, v = found
            if v.offset < v.store.size:
                offset = self.rng.randrange(v.store.size)
                sizes = [self.rng.randint(1, 3), self.rng.randint(1, 3)]
                strides = [self.rng.randint(0, 3), self.rng.randint(0, 2)]
                w = v.with_(offset, sizes, strides)
                if w.offset + w.extent <= v.store.size:
                    arguments = listed(x for pair in zip(sizes, strides, strict=True) for x in pair)
                    self.put(f"torch.{v.kind}Tensor():set({name}:storage(), {offset + 1}, {arguments})", w)

    # Changes of size. Other views see the grown storage; what they looked at stays.

    def other_resize(self) -> None:
        if found := self.choose():
            name, v = found
            sizes = self.sizes() if self.rng.random() < 0.8 else list(v.sizes)
            before = len(v.store.data)
            v.resize(sizes)
            self.lua(f"{name}:resize({listed(sizes)})")
            self.read_growth(name, v.store, before)

    def other_resize_storage(self) -> None:
        if found := self.choose():
            name, v = found
            size = self.rng.randint(1, v.store.size + 6)
            before = len(v.store.data)
            v.store.resize(size)
            self.lua(f"{name}:storage():resize({size})")
            self.read_growth(name, v.store, before)

    def read_growth(self, name: str, store: Store, before: int) -> None:
        """New elements have any value: the model takes those that are there. The old ones must stay."""
        if len(store.data) == before:
            return
        self.lua(f"state_of_storage = table.concat({name}:storage():totable(), ' ')")
        shown = self.engine.lua.globals().state_of_storage
        now = np.array(shown.split(), "f8").astype(store.data.dtype)
        store.data[before:] = now[before:]

    def other_clone(self) -> None:
        if found := self.choose():
            name, v = found
            self.put(f"{name}:clone()", owner(v.array))

    def other_convert(self) -> None:
        if found := self.choose():
            name, v = found
            kind = self.rng.choice([k for k in DTYPES if k != v.kind])
            if not (kind in ("Byte", "Char") or (v.kind == "Byte" and kind == "Half")):
                self.put(f"{name}:{kind.lower()}()", owner(v.array, kind))

    def other_repeat(self) -> None:
        if found := self.choose():
            name, v = found
            times = [self.rng.randint(1, 2) for _ in range(v.dim + self.rng.randint(0, 1))]
            if v.count * np.prod(times) < 200:
                self.put(f"{name}:repeatTensor({listed(times)})", owner(np.tile(v.array, times)))

    def other_index(self) -> None:
        if found := self.choose():
            name, v = found
            if v.kind != "Half":
                d = self.axis(v)
                places = [self.rng.randrange(v.sizes[d]) for _ in range(self.rng.randint(1, 4))]
                self.put(f"{name}:index({d + 1}, {longs(places)})", owner(v.array.take(places, axis=d)))

    # Computations: new results of views in any layout, and results written into given views.

    def computed(self, v: View) -> tuple[str, Array]:
        """A method call on a tensor with a result of its type, and what NumPy makes of it."""
        d, a = self.axis(v), v.array
        kind = a.dtype
        calls: list[tuple[str, Array]] = [
            (f"sum({d + 1})", a.sum(d, dtype=kind, keepdims=True)),
            (f"prod({d + 1})", a.prod(d, dtype=kind, keepdims=True)),
            (f"max({d + 1})", a.max(d, keepdims=True)),
            (f"min({d + 1})", a.min(d, keepdims=True)),
            (f"cumsum({d + 1})", a.cumsum(d, dtype=kind)),
            (f"sort({d + 1})", np.sort(a, d)),
            (f"sort({d + 1}, true)", -np.sort(-a.astype("f8"), d)),
        ]
        call, wanted = self.rng.choice(calls)
        return call, wanted.astype(kind)

    def other_compute(self) -> None:
        if (found := self.choose()) and found[1].kind != "Half":
            call, wanted = self.computed(found[1])
            self.put(f"({found[0]}:{call})", owner(wanted))

    def write_computed(self) -> None:
        target, source = self.choose(injective=True), self.choose()
        if target and source and source[1].kind == target[1].kind != "Half":
            call, wanted = self.computed(source[1])
            v = target[1]
            if list(wanted.shape) == v.sizes and not v.overlaps(source[1]) and "sort" not in call:
                name, arguments = call.split("(")
                if name in ("sum", "prod", "cumsum"):
                    v.array[...] = wanted
                    self.lua(f"torch.{name}({target[0]}, {source[0]}, {arguments}")

    def write_sum_of_two(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind != "Half":
            name, v = found
            first = self.choose(kind=v.kind, sizes=v.sizes)
            second = self.choose(kind=v.kind, count=v.count)
            if first and second and not any(w[1] is not v and v.overlaps(w[1]) for w in (first, second)):
                v.array[...] = first[1].array + second[1].array.reshape(v.sizes)
                self.lua(f"{name}:add({first[0]}, {second[0]})")

    def other_gather(self) -> None:
        if (found := self.choose()) and found[1].kind != "Half":
            name, v = found
            d = self.axis(v)
            places = np.array([self.rng.randrange(v.sizes[d]) for _ in range(v.count)]).reshape(v.sizes)
            index = f"{longs(places.ravel().tolist())}:view({listed(v.sizes)})"
            self.put(f"{name}:gather({d + 1}, {index})", owner(np.take_along_axis(v.array, places, d)))

    def write_scatter(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind != "Half":
            name, v = found
            d, value = self.axis(v), self.value(found[1].kind)
            places = np.array([self.rng.randrange(v.sizes[d]) for _ in range(v.count)]).reshape(v.sizes)
            index = f"{longs(places.ravel().tolist())}:view({listed(v.sizes)})"
            result = v.array.copy()
            np.put_along_axis(result, places, value, d)
            v.array[...] = result
            self.lua(f"{name}:scatter({d + 1}, {index}, {value})")

    def write_masked_copy(self) -> None:
        target, source = self.choose(injective=True), self.choose()
        if target and source and source[1].kind == target[1].kind != "Half":
            v, w = target[1], source[1]
            if w.count >= v.count and not v.overlaps(w):
                mask = np.array([self.rng.randint(0, 1) for _ in range(v.count)])
                v.array[mask.reshape(v.sizes) == 1] = w.array.ravel()[: int(mask.sum())]
                self.lua(f"{target[0]}:maskedCopy(torch.ByteTensor{{{listed(mask)}}}, {source[0]})")

    # Writes. Where elements share memory, only writes of one value to all of them have a defined result.

    def write_fill(self) -> None:
        if found := self.choose():
            name, v = found
            value = self.value(v.kind)
            v.array[...] = value
            self.lua(f"{name}:fill({value})")

    def write_zero(self) -> None:
        if (found := self.choose()) and found[1].kind != "Half":
            found[1].array[...] = 0
            self.lua(f"{found[0]}:zero()")

    def write_element(self) -> None:
        if found := self.choose():
            name, v = found
            index = [self.rng.randrange(n) for n in v.sizes]
            value = self.value(v.kind)
            v.array[tuple(index)] = value
            form = self.rng.choice(["chain", "braces", "storage"])
            if form == "chain":
                place = "".join(f"[{i + 1}]" for i in index)
            elif form == "braces":
                place = f"[{{{listed(i + 1 for i in index)}}}]"
            else:
                place = f"[torch.LongStorage{{{listed(i + 1 for i in index)}}}]"
            self.lua(f"{name}{place} = {value}")

    def write_range(self) -> None:
        if found := self.choose():
            name, v = found
            place, target = self.place(v)
            value = self.value(v.kind)
            if not target.dim:
                target.store.data[target.offset] = value
            elif v.kind == "Half":
                return
            else:
                target.array[...] = value
            self.lua(f"{name}[{place}] = {value}")

    def write_copy(self) -> None:
        target, source = self.choose(injective=True), self.choose()
        if target and source:
            name, v = target
            w = source[1]
            if (
                v.count == w.count
                and not v.overlaps(w)
                and (v.kind == w.kind or v.kind not in ("Byte", "Char"))
            ):
                v.array[...] = w.array.reshape(v.sizes).astype(v.store.data.dtype)
                self.lua(f"{name}:copy({source[0]})")

    def write_add(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind != "Half":
            name, v = found
            value = self.rng.randint(0, 3)
            v.array[...] += np.array(value, v.store.data.dtype)
            self.lua(f"{name}:add({value})")

    def write_add_tensor(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind != "Half":
            name, v = found
            source = self.choose(kind=v.kind, count=v.count)
            if source and (source[1] is v or not v.overlaps(source[1])):
                v.array[...] += source[1].array.reshape(v.sizes)
                self.lua(f"{name}:add({source[0]})")

    def write_apply(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind not in ("Half", "Byte", "Char"):
            name, v = found
            v.array[...] = v.array + np.array(1, v.store.data.dtype)
            self.lua(f"{name}:apply(function(v) return v + 1 end)")

    def write_index_fill(self) -> None:
        if (found := self.choose()) and found[1].kind != "Half":
            name, v = found
            d, value = self.axis(v), self.value(found[1].kind)
            places = [self.rng.randrange(v.sizes[d]) for _ in range(self.rng.randint(1, 3))]
            for p in places:
                v.narrow(d, p, 1).array[...] = value
            self.lua(f"{name}:indexFill({d + 1}, {longs(places)}, {value})")

    def write_index_copy(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind != "Half":
            name, v = found
            d = self.axis(v)
            places = self.rng.sample(range(v.sizes[d]), v.sizes[d])
            result = v.array.copy()
            for k, p in enumerate(places):
                result.take([k], axis=d)
                result[(slice(None),) * d + (p,)] = v.array[(slice(None),) * d + (k,)]
            v.array[...] = result
            self.lua(f"{name}:indexCopy({d + 1}, {longs(places)}, {name})")

    def write_masked_fill(self) -> None:
        if (found := self.choose()) and found[1].kind != "Half":
            name, v = found
            value = self.value(v.kind)
            mask = [self.rng.randint(0, 1) for _ in range(v.count)]
            if v.injective:
                v.array[np.array(mask).reshape(v.sizes) == 1] = value
                self.lua(f"{name}:maskedFill(torch.ByteTensor{{{listed(mask)}}}, {value})")

    def write_mask_assignment(self) -> None:
        found = self.choose(injective=True)
        if found and found[1].kind != "Half":
            name, v = found
            bound, value = self.value(v.kind), self.value(v.kind)
            v.array[v.array < bound] = value
            self.lua(f"{name}[{name}:lt({bound})] = {value}")

    # Comparison.

    def check(self) -> None:
        for k, v in enumerate(self.pool, 1):
            shown = self.engine.lua.globals().state(k).split(";")
            sizes, strides, elements, offset, contiguous, storage, count, kind = shown
            self.same(k, "type", kind, f"torch.{v.kind}Tensor")
            self.same(k, "sizes", numbers(sizes), v.sizes)
            self.same(k, "strides", numbers(strides), v.strides)
            self.same(k, "offset", int(offset), v.offset)
            self.same(k, "count", int(count), v.count)
            self.same(k, "isContiguous", contiguous == "true", v.contiguous)
            self.same(k, "elements", numbers(elements), v.array.ravel().tolist())
            self.same(k, "storage", numbers(storage), v.store.data[: v.store.size].tolist())

    def same(self, k: int, what: str, got: object, wanted: object) -> None:
        if got != wanted:
            raise Differs(f"{what} of P[{k}]: {got} where {wanted} was expected, after\n{self.history()}")

    def run(self) -> None:
        for _ in range(STEPS):
            before = len(self.log)
            while len(self.log) == before:
                step = self.other_new if len(self.pool) < 2 else self.rng.choice(self.steps)
                step()
            self.check()


def owner(array: Array, kind: str | None = None) -> View:
    """A new contiguous tensor with the elements of an array, converted as C does."""
    names = {np.dtype(code): name for name, code in DTYPES.items()}
    data = array.astype(DTYPES[kind] if kind else array.dtype).ravel().copy()
    return View(Store(names[data.dtype], data, data.size), 0, list(array.shape))


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()]


def listed(items: Any) -> str:
    return ", ".join(str(item) for item in items)


def longs(places: list[int]) -> str:
    return f"torch.LongTensor{{{listed(p + 1 for p in places)}}}"


def factors(n: int, rng: random.Random) -> list[int]:
    """Sizes of one to four dimensions whose product is n."""
    sizes = []
    for _ in range(rng.randint(0, 3)):
        size = rng.choice([d for d in range(1, n + 1) if n % d == 0])
        sizes.append(size)
        n //= size
    return [*sizes, n]


@pytest.fixture(scope="module")
def engine() -> Engine:
    engine = Engine()
    assert engine.execute(HELPERS).ok
    return engine


def test_views_and_writes_follow_the_model(engine: Engine) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + SEQUENCES):
        try:
            Sequence(engine, seed).run()
        except Differs as error:
            pytest.fail(f"seed {seed}: {error}", pytrace=False)
