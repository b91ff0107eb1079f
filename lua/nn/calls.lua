-- Guards around methods that follow pointers.
--
-- Fields are read once. A method checks a field, then reads it again and follows its pointer; an `__index` metamethod
-- could return a different value the second time. So the method gets a proxy, which caches reads and passes writes on.
--
-- A result that is also an operand is not resized: in m:forward(m:forward(x)) the input is m.output, whose sizes were
-- already checked. The method gets a new tensor instead.

local getmetatable, next, rawequal, setmetatable, type = getmetatable, next, rawequal, setmetatable, type

local calls = {}

local stands_in = setmetatable({}, { __mode = 'k' })

-- The methods as they were written, by the functions that stand around them; help shows them.
calls.written = setmetatable({}, { __mode = 'k' })

-- It has the metamethods of the class, and so its name.
local function stand_in(object, class)
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
   stands_in[made] = values
   return made
end

-- The object and the two arguments of the running call; the result that must not be resized, and its replacement.
local object, first, second, kept, new

-- Counts the occurrences of t in a table and its nested tables.
local function numel(list, t, depth)
   if rawequal(list, t) then return 1 end
   if type(list) ~= 'table' or depth == 0 then return 0 end
   local count = 0
   for _, value in next, list do count = count + numel(value, t, depth - 1) end
   return count
end

-- Returns t, which is about to be resized, or a new tensor if t occurs twice in the call.
function calls.resizable(t)
   if not object then return t end
   if numel(stands_in[object] or object, t, 2) + numel(first, t, 3) + numel(second, t, 3) < 2 then return t end
   kept, new = t, t.new()
   return new
end

local function once(f, result)
   return function(self, a, b, c, d)
      local class = getmetatable(self)
      if not (class and rawequal(class.__index, class)) and type(self) == 'table' and class and not stands_in[self] then
         self = stand_in(self, class)
      end
      -- Discards the state of a previous call that failed.
      object, first, second, kept, new = self, a, b, nil, nil
      local x, y = f(self, a, b, c, d)
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
