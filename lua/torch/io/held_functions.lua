-- Functions of a file must not run while it is read, but read methods of classes run, and may call any field. So
-- stand-ins, which raise an error when called, replace the functions until the outermost read has ended.

local errors = require 'torch.base.errors'
local globals = _G

local held_functions = {}

-- Returns the stand-in of f, a function of the file `name` that the reader r reads.
function held_functions.hold(r, f, name)
   local group = r.held or { functions = {}, loaded = {}, released = false }
   r.held = group
   -- Also works, once it may, for stand-ins that a read method stored where `release` does not look.
   local function stand_in(...)
      if not group.released then
         errors.raise('%s: a function from the file is called while its objects are read', name)
      end
      return f(...)
   end
   group.functions[stand_in], group.loaded[f] = f, true
   return stand_in
end

local function settle_upvalues(f, settled)
   local i = 1
   local name, value = debug.getupvalue(f, i)
   while name do
      local kind = type(value)
      if kind == 'function' or kind == 'table' then debug.setupvalue(f, i, (settled(value))) end
      i = i + 1
      name, value = debug.getupvalue(f, i)
   end
end

local function settle_entries(t, settled)
   local renamed
   for key, value in next, t do
      local kind = type(value)
      if kind == 'function' or kind == 'table' then rawset(t, key, (settled(value))) end
      kind = type(key)
      if kind == 'function' or kind == 'table' then
         local new = settled(key)
         if new ~= key then
            renamed = renamed or {}
            renamed[key] = new
         end
      end
   end
   for key, new in next, renamed or {} do
      local value = t[key]
      rawset(t, key, nil)
      rawset(t, new, value)
   end
end

-- Replaces stand-ins by their functions: in `result`, in the reader's objects, and in all that they refer to.
function held_functions.release(r, result)
   local group = r.held
   r.held, group.released = nil, true
   local functions, loaded = group.functions, group.loaded
   local seen, stack, count = { [globals] = true }, {}, 0
   local function settled(value)
      value = functions[value] or value
      if not seen[value] and (type(value) == 'table' or loaded[value]) then
         count = count + 1
         seen[value], stack[count] = true, value
      end
      return value
   end
   settled(r.objects)
   if type(result) == 'function' or type(result) == 'table' then result = settled(result) end
   while count > 0 do
      local object = stack[count]
      count = count - 1
      if type(object) == 'table' then settle_entries(object, settled) else settle_upvalues(object, settled) end
   end
   return result
end

return held_functions
