-- pl.List: lists with the methods of Python's.

local List, tablex, utils = require 'pl.list_class', require 'pl.tables', require 'pl.utils'
local function_arg = utils.function_arg

-- Makes a list of the class of another one.
local function like(list, values) return getmetatable(list)(values) end

-- Iterates over the elements of a list, the characters of a string, the lines of a file; a function iterates itself.
function List.iterate(values)
   if type(values) == 'function' then return values end
   if io.type(values) == 'file' then return values:lines() end
   local i, count = 0, #values
   return function()
      i = i + 1
      if i > count then return nil end
      return type(values) == 'string' and string.sub(values, i, i) or values[i]
   end
end

function List.range(first, last, step)
   if not last then first, last = 1, first end
   -- A step that is not whole reaches the end in spite of rounding.
   if step and math.ceil(step) ~= step then last = last + 1e-10 end
   return tablex.range(first, last, step)
end
function List.split(text, separator) return List.new(utils.split(text, separator)) end

function List:clone()
   local copy = {}
   for i = 1, #self do copy[i] = self[i] end
   return like(self, copy)
end

function List:append(value)
   self[#self + 1] = value
   return self
end

-- As in the original it returns nothing.
function List:push(value) self[#self + 1] = value end

function List:extend(values)
   for i = 1, #values do self[#self + 1] = values[i] end
   return self
end

function List:insert(i, value)
   table.insert(self, i, value)
   return self
end

function List:put(value) return self:insert(1, value) end

function List:remove(i)
   table.remove(self, i)
   return self
end

function List:remove_value(value)
   local i = tablex.find(self, value)
   if i then table.remove(self, i) end
   return self
end

function List:pop(i) return table.remove(self, i) end
List.get = List.pop

function List:index(value, first) return tablex.find(self, value, first) end
function List:contains(value) return tablex.find(self, value) ~= nil end

function List:count(value)
   local n = 0
   for i = 1, #self do
      if self[i] == value then n = n + 1 end
   end
   return n
end

function List:sort(less)
   table.sort(self, less and function_arg(1, less))
   return self
end

function List:sorted(less) return self:clone():sort(less) end

function List:reverse()
   local n = #self
   for i = 1, (n - n % 2) / 2 do self[i], self[n - i + 1] = self[n - i + 1], self[i] end
   return self
end

function List:shuffle()
   for i = #self, 2, -1 do
      local k = math.random(i)
      self[i], self[k] = self[k], self[i]
   end
   return self
end

function List:slice(first, last) return like(self, tablex.sub(self, first, last)) end

-- Replaces a slice by the elements of another list.
function List:slice_assign(first, last, values)
   local count = #self
   if first < 0 then first = count + first + 1 end
   if last < 0 then last = count + last + 1 end
   if first <= last then tablex.removevalues(self, first, last) end
   return self:splice(first, values)
end

function List:clear()
   tablex.clear(self)
   return self
end

function List:len() return #self end

function List:minmax()
   local minimum, maximum = 1e70, -1e70
   for i = 1, #self do
      if self[i] < minimum then minimum = self[i] end
      if self[i] > maximum then maximum = self[i] end
   end
   return minimum, maximum
end

function List:concat(separator) return table.concat(self, separator) end
function List:join(separator)
   return table.concat(utils.array_tostring(self), separator or '')
end

-- Calls a method of all elements.
function List:foreachm(name, ...)
   for _, value in ipairs(self) do value[name](value, ...) end
end

-- For class.catch: missing methods of a list are those of `functions`, mapped over the elements, or, without a table,
-- methods of the elements.
function List.default_map_with(functions)
   return function(_, name)
      if not functions then return function(list, ...) return list:mapm(name, ...) end end
      local f = functions[name]
      if f == nil then return nil end
      return function(list, ...) return list:map(f, ...) end
   end
end
List.default_map = List.default_map_with

function List:foreach(f, ...)
   f = function_arg(1, f)
   for i = 1, #self do f(self[i], ...) end
end

function List:filter(condition, argument) return like(self, tablex.filter(self, condition, argument)) end
function List:map(f, ...) return like(self, tablex.imap(f, self, ...)) end

-- Calls a method of all elements and returns the results.
function List:mapm(name, ...) return like(self, tablex.map_named_method(name, self, ...)) end

function List:transform(f, ...)
   tablex.transform(f, self, ...)
   return self
end

function List:map2(f, other, ...) return like(self, tablex.imap2(f, self, other, ...)) end
function List:reduce(f, first) return tablex.reduce(f, self, first) end

List.iter = List.iterate

-- Groups the elements in lists by their value of f.
function List:partition(f, ...)
   f = function_arg(1, f)
   local groups = {}
   for i = 1, #self do
      local key = f(self[i], ...)
      if key == nil then key = '<nil>' end
      groups[key] = (groups[key] or List.new()):append(self[i])
   end
   return groups
end

function List:splice(i, values)
   for value in List.iterate(values) do
      table.insert(self, i, value)
      i = i + 1
   end
   return self
end

function List:chop(first, last)
   return tablex.removevalues(self, first, last)
end

function List.__concat(a, b) return List.clone(a):extend(b) end

function List.__eq(a, b)
   if #a ~= #b then return false end
   for i = 1, math.min(#a, #b) do
      if a[i] ~= b[i] then return false end
   end
   return true
end

function List:__tostring() return '{' .. self:join ',' .. '}' end

return List
