-- Guards around methods that follow pointers.
--
-- Fields are read once. A method checks a field, reads it again, and follows its pointer; an `__index` metamethod could
-- return a different value the second time. Objects with such a metamethod are therefore passed as a proxy, which
-- caches reads and forwards writes.
--
-- A result that is also an operand is not resized: in m:forward(m:forward(x)) the input is m.output, whose sizes were
-- already checked. The method gets a new tensor instead.
--
-- Methods write contiguous results. One that is a view of other memory, as in m.output = all:select(2, t), gets memory
-- of its own for the call, and becomes the view again at its end, with the elements in it.

local coroutine, getinfo = coroutine, debug.getinfo
local getmetatable, next, rawequal, setmetatable, type = getmetatable, next, rawequal, setmetatable, type
local same_size = require('torch.base.geometry').same_size

local calls = {}

local proxied_fields = setmetatable({}, { __mode = 'k' })

-- The original methods, by the functions that wrap them; help shows the originals.
calls.written = setmetatable({}, { __mode = 'k' })

-- A proxy that caches reads. It has the metamethods of the class, and so its name.
local function caching_proxy(object, class)
   local values, known, metatable = {}, {}, {}
   for event, f in next, class do metatable[event] = f end
   function metatable.__index(_, key)
      if not known[key] then values[key], known[key] = object[key], true end
      return values[key]
   end
   function metatable.__newindex(_, key, value)
      values[key], known[key] = value, true
      object[key] = value
   end
   local made = setmetatable({}, metatable)
   proxied_fields[made] = values
   return made
end

-- The object and the arguments of the current call; the result that must not be resized, and its replacement.
local object, first, second, kept, new

-- Counts the occurrences of t in a table and its nested tables.
local function count_occurrences(list, t, depth)
   if rawequal(list, t) then return 1 end
   if type(list) ~= 'table' or depth == 0 then return 0 end
   local count = 0
   for _, value in next, list do count = count + count_occurrences(value, t, depth - 1) end
   return count
end

-- Returns t, which is about to be resized, or a new tensor if t occurs twice in the call.
function calls.resizable(t)
   if not object then return t end
   local count = count_occurrences(proxied_fields[object] or object, t, 2) + count_occurrences(first, t, 3)
      + count_occurrences(second, t, 3)
   if count < 2 then return t end
   kept, new = t, t.new()
   return new
end

-- The tensors that are views again at the end of their call, the views, and the rows of their types. Calls that failed
-- leave some behind, which the next call restores that is not part of another.
local replaced, views, types, count = {}, {}, {}, 0

function calls.restore_later(T, t, view)
   count = count + 1
   replaced[count], views[count], types[count] = t, view, T
end

-- Restores what was replaced after the first n.
local function restore_after(n)
   for i = count, n + 1, -1 do
      local t, view, T = replaced[i], views[i], types[i]
      if same_size(t, view) then
         T.copy_from(view, T, t)
         T.set_tensor(t, view)
      end
      replaced[i], views[i] = nil, nil
   end
   count = n
end

-- Tells whether the caller, a guarded method, is not called by another one. In a coroutine that is not known.
local function is_outermost()
   if coroutine.running() then return false end
   local level = 3
   while true do
      local info = getinfo(level, 'f')
      if not info then return true end
      if calls.written[info.func] then return false end
      level = level + 1
   end
end

local function once(f, result)
   return function(self, a, b, c, d)
      local class = getmetatable(self)
      local is_plain = class and rawequal(class.__index, class)
      if not is_plain and type(self) == 'table' and class and not proxied_fields[self] then
         self = caching_proxy(self, class)
      end
      -- Discards the state of a previous call that failed.
      object, first, second, kept, new = self, a, b, nil, nil
      if count > 0 and is_outermost() then restore_after(0) end
      local count_before = count
      local x, y = f(self, a, b, c, d)
      if count > count_before then restore_after(count_before) end
      local old, made = kept, new
      object, first, second, kept, new = nil, nil, nil, nil, nil
      if old and rawequal(self[result], old) then self[result] = made end
      if y ~= nil then return x, y end
      return x
   end
end

local results = { updateOutput = 'output', updateGradInput = 'gradInput', accGradParameters = 'gradInput',
   accUpdateGradParameters = 'gradInput', sharedAccUpdateGradParameters = 'gradInput', backward = 'gradInput' }

-- Wraps the methods of a class that follow pointers.
function calls.wrap(methods)
   for name, result in next, results do
      local f = rawget(methods, name)
      if f then
         methods[name] = once(f, result)
         calls.written[methods[name]] = f
      end
   end
end

return calls
