"""Runs a network in t7 and compares its outputs with those of another library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from t7shell.convert import ConvertError
from t7shell.convert.graph import Graph
from t7shell.core.errors import LuaError
from t7shell.core.runtime import Runtime

Array = np.ndarray[Any, Any]

# Not the batch sizes that a network is traced with first.
BATCH = 3

# Loads a network, removes functions that the file holds, and runs it in float.
_PROGRAM = """
return function(path, key, packages, ...)
   for _, name in ipairs(packages) do require(name) end
   local net = torch.load(path)
   if key ~= nil then net = net[key] end
   local seen, waiting = {}, { net }
   while #waiting > 0 do
      local value = table.remove(waiting)
      if type(value) == 'table' and not seen[value] then
         seen[value] = true
         local functions = {}
         for key, inner in next, value do
            if type(inner) == 'function' then functions[#functions + 1] = key end
            waiting[#waiting + 1] = inner
            waiting[#waiting + 1] = key
         end
         for _, key in ipairs(functions) do rawset(value, key, nil) end
      end
   end
   net:evaluate()
   net:float()
   local input = { ... }
   local result, output = {}, net:forward(#input == 1 and input[1] or input)
   local function flatten(value)
      if torch.isTensor(value) then
         result[#result + 1] = value:float():clone()
      else
         for _, inner in ipairs(value) do flatten(inner) end
      end
   end
   flatten(output)
   return result
end
"""


class Difference(NamedTuple):
    """The largest difference of an output, and the same relative to the largest number that t7 gives."""

    absolute: float
    relative: float

    def __str__(self) -> str:
        return f"largest difference from t7: {self.absolute:.1e} absolute, {self.relative:.1e} relative"


def random_inputs(graph: Graph) -> list[Array]:
    """Returns inputs for a graph, the same ones each time: normal numbers, or indices within bounds."""
    random = np.random.default_rng(1)
    found: list[Array] = []
    for x in graph.inputs:
        shape = x.shape if graph.fixed else (BATCH, *x.shape[1:])
        if x.name in graph.limits:
            found.append(random.integers(1, graph.limits[x.name] + 1, shape))
        else:
            found.append(random.standard_normal(shape).astype(np.float32))
    return found


def outputs_of(path: str, graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """Returns the outputs of a network in t7, in float and for evaluation. Raises ConvertError."""
    packages = ["nn", "nngraph", *sorted(graph.packages & {"cudnn", "cunn", "dpnn"})]
    with Runtime() as lua:
        try:
            found = lua.execute(_PROGRAM, "=convert")(path, graph.key, packages, *inputs)
        except LuaError as reason:
            raise ConvertError(f"t7 cannot run the network: {reason.message}") from None
        return [np.array(found[i]) for i in range(1, len(found) + 1)]


def compare(expected: Sequence[Array], found: Sequence[Array], tolerance: float) -> Difference:
    """Returns how far outputs are from those of t7. Raises ConvertError above a tolerance."""
    shapes = [[tuple(y.shape) for y in outputs] for outputs in (expected, found)]
    if shapes[0] != shapes[1]:
        raise ConvertError(f"outputs have shapes {shapes[1]}, those of t7 are {shapes[0]}")
    absolute = relative = 0.0
    for wanted, got in zip(expected, found, strict=True):
        wanted, got = wanted.astype(np.float64), got.astype(np.float64)
        same = (wanted == got) | (np.isnan(wanted) & np.isnan(got))
        with np.errstate(invalid="ignore"):
            different = np.where(same, 0.0, np.abs(wanted - got))
        finite = np.abs(wanted[np.isfinite(wanted)])
        largest = float(np.max(different, initial=0.0))
        absolute = max(absolute, largest)
        relative = max(relative, largest / max(float(np.max(finite, initial=0.0)), 1e-30) if largest else 0.0)
        if not np.isfinite(different).all():
            absolute = relative = np.inf
    found_difference = Difference(float(absolute), float(relative))
    if not relative <= tolerance:
        raise ConvertError(f"{found_difference}, more than {tolerance:.0e}; no file is written")
    return found_difference
