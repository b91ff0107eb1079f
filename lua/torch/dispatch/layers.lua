-- Layers: changes of all operations and methods that a program switches on while it runs, such as broadcasting. Without
-- layers a call costs nothing extra. Each switch remakes all functions with the active layers. See
-- docs/decisions/0019-layers.md.
--
-- A layer is a table with a number `order` and some of these functions. Each returns f or its replacement:
--
--    has(true, T, row, call)         whether a type has an operation at all
--    kernel(f, T, row, case, call)   the kernel of a case { signature, factory } of a row; it is called with the
--                                    arguments of the signature in order, nil for those left out
--    entry(f, T, row, call)          an operation, called with the arguments of the program
--    method(f, T, name)              a method without a row, such as 'copy' and 'narrow'; nil removes it
--    operator(f, T, event)           a metamethod of tensors, as '__mul' and '__newindex'
--
-- `call` is 'method' or 'function'. The layer of the lowest order is nearest to f. Where a type has no kernels of its
-- own, as HalfTensors, those of another type are called, on copies or views: layers see both calls.
--
--    layers.add(layer), layers.remove(layer), layers.has(layer)
--
-- A function that a program keeps in a variable does not change, except for those of packages, such as torch.add, which
-- look up their entry at each call.

local layers = {}

local active, watchers = {}, {}

function layers.apply(key, f, ...)
   for _, layer in ipairs(active) do
      if layer[key] then f = layer[key](f, ...) end
   end
   return f
end

function layers.change_kernels()
   for _, layer in ipairs(active) do
      if layer.kernel then return true end
   end
   return false
end

-- Registers remake(), which is called when the set of layers has changed.
function layers.watch(remake) watchers[#watchers + 1] = remake end

local function position(layer)
   for i, other in ipairs(active) do
      if other == layer then return i end
   end
end

function layers.has(layer) return position(layer) ~= nil end

local function remake()
   for _, watcher in ipairs(watchers) do watcher() end
   -- Compiled code has methods and operators of tensors as constants. Within a finalizer it cannot be flushed.
   pcall(jit.flush)
end

function layers.add(layer)
   if position(layer) then return end
   active[#active + 1] = layer
   table.sort(active, function(a, b) return a.order < b.order end)
   remake()
end

function layers.remove(layer)
   local at = position(layer)
   if not at then return end
   table.remove(active, at)
   remake()
end

return layers
