-- Errors of LuaJIT in the library's own code, where a field of a module has the wrong type: a function instead of a
-- number, a table instead of a tensor. They name neither the module nor, often, the field. An error handler finds both
-- in the stack frames: the objects among the local variables, and the fields of these that the code names.

local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local check, jit_util = require 'torch.base.check', require 'jit.util'
local of_tensor = require('torch.base.types').of_tensor
local is_library, where = errors.is_library, errors.where
local getinfo, getlocal, getmetatable, raise = debug.getinfo, debug.getlocal, debug.getmetatable, error
local concat, find, format, gsub, match = table.concat, string.find, string.format, string.gsub, string.match
local ipairs, next, pcall, rawequal, rawget, sort, type = ipairs, next, pcall, rawequal, rawget, table.sort, type

local MAX_DEPTH, VARIABLES, NAMED = 30, 60, 3     -- frames and variables that are looked at; fields that are named

local MESSAGES = { '^attempt to ', '^bad argument #%d+ to ', '^cannot convert ', "^'for' ", ' expected, got ',
   '^invalid value %(' }

-- What LuaJIT says of a value, as patterns for its kind; of two in a comparison, either may be the wrong one.
local KINDS = {
   'got ([%a ]+)%)', '%(a (%a+) value%)', "cannot convert '([%a ]+)", 'a (%a+) value$', 'compare (%a+) with',
   'compare %a+ with (%a+)', 'compare two (%a+) values', "on '?(%a+)", "and '([%a ]+)", 'call a (%a+)',
   'invalid value %((%a+)%)',
}
local SAME = { cdata = 'tensor', struct = 'tensor', ['struct '] = 'tensor', void = 'userdata', ['void '] = 'userdata',
   ['no value'] = 'nil' }

local PLAIN = { number = true, string = true, boolean = true }

local function kind_of(value)
   local kind = type(value)
   return kind == 'cdata' and of_tensor(value) and 'tensor' or kind
end

-- The kinds of values that a message may refer to. If a field was nil, the value it was read from is of a kind that
-- can be indexed: for numbers and booleans the message says so.
local function kinds_in(text)
   local kinds = {}
   for _, pattern in ipairs(KINDS) do
      local kind = match(text, pattern)
      if kind then kinds[SAME[kind] or kind] = true end
   end
   if find(text, "^'for' ") then
      for _, kind in ipairs { 'string', 'boolean', 'function', 'table', 'tensor', 'userdata', 'nil' } do
         kinds[kind] = true
      end
   end
   if kinds['nil'] or next(kinds) == nil then
      kinds.string, kinds.table, kinds.userdata, kinds['function'] = true, true, true, true
   end
   -- Tensors can be indexed, but an element of one cannot.
   if find(text, '^attempt to index a ') then kinds.tensor = true end
   if find(text, 'compare %a+ with') then kinds.number = nil end
   return kinds
end

-- The library's frames under an error, innermost first, which ends at the program's: each a list of objects, the values
-- of variables, and the words of the function. Nil where the error is not one of LuaJIT in the library's code, and
-- where the program called a method without its object.
local function frames_at(level)
   local frames, own, lacks_object = {}, false, false
   while #frames < MAX_DEPTH do
      local info = getinfo(level, 'Sf')
      if not info or info.what ~= 'C' and not is_library(info.source) then break end
      if info.func == raise then return nil end
      local frame = { objects = {}, values = {}, words = {} }
      for i = 1, VARIABLES do
         local name, value = getlocal(level, i)
         if not name then break end
         -- A temporary of a Lua function may be left over from an earlier call.
         local is_variable = info.what == 'C' or name ~= '(*temporary)'
         if is_variable and type(value) == 'table' and class_registry.typename(value) then
            frame.objects[#frame.objects + 1] = value
         end
         frame.values[i] = value
         if i == 1 and info.what ~= 'C' then lacks_object = name == 'self' and not getmetatable(value) end
      end
      for i = -1, info.what == 'C' and 0 or -VARIABLES, -1 do
         local ok, word = pcall(jit_util.funck, info.func, i)
         if not ok or word == nil then break end
         if type(word) == 'string' then frame.words[word] = true end
      end
      own = own or info.what ~= 'C'
      frames[#frames + 1] = frame
      level = level + 1
   end
   return own and not lacks_object and frames
end

-- How likely a field is what a message means: by its name in the message, by its value among the variables, by its
-- name in the code, and by its kind.
local function likelihood(key, value, text, kinds, frames)
   local score, kind = 1, kind_of(value)
   if match(text, "field '([%w_]+)'") == key and kinds[kind] then return 100 end
   -- A function of a library that is not there.
   if find(text, "call field '", 1, true) or find(text, "global '", 1, true) then return 0 end
   if not kinds[kind] or kind == 'table' and class_registry.typename(value) then return 0 end
   local method = match(text, "call method '([%w_]+)'")
   if method and kind == 'table' and value[method] ~= nil then return 0 end
   local read, held
   for depth, frame in ipairs(frames) do
      if frame.words[key] then read = read or depth end
      for i = 1, VARIABLES do
         if rawequal(frame.values[i], value) and kind ~= 'boolean' then held = held or depth end
      end
   end
   if read then score = score + 20 - read / 2 end
   if held then score = score + 40 - held / 2 end
   -- Those of every module are seldom wrong.
   if key == 'train' or key == '_type' or key == 'modules' and kind == 'table' and #value > 0 then return score / 4 end
   return score
end

-- The object and the names of those of its fields that an error most likely means.
local function culprit(text, frames)
   local kinds, best, owner, names = kinds_in(text), 0, nil, {}
   local seen = {}
   for _, frame in ipairs(frames) do
      for _, object in ipairs(frame.objects) do
         if not seen[object] then
            seen[object] = true
            owner = owner or object
            for key, value in next, object do
               local score = type(key) == 'string' and likelihood(key, value, text, kinds, frames) or 0
               if score > best then best, owner, names = score, object, {} end
               if score == best and score > 0 and rawequal(object, owner) then names[#names + 1] = key end
            end
         end
      end
   end
   sort(names)
   return owner, names
end

local function described(object, names)
   local value = rawget(object, names[1])
   local kind = kind_of(value)
   if #names > 1 then return 'a ' .. kind end
   return (PLAIN[kind] and '' or 'a ') .. check.describe(value)
end

-- Returns 'name: the field ... must not be ...' for an error of LuaJIT in the library's code, raised `level` levels
-- above the caller; other errors are returned as they are. For handlers of errors.
function errors.worded(why, level)
   if type(why) ~= 'string' or find(why, 'stack overflow', 1, true) then return why end
   local text = match(why, '^[^\n]-:%d+: ([^\n]*)') or why
   local known
   for _, message in ipairs(MESSAGES) do known = known or find(text, message) end
   local frames = known and frames_at((level or 1) + 2)
   if not frames then return why end
   local object, names = culprit(text, frames)
   if not object then return why end
   text = gsub(text, "'struct %d+'", 'a tensor')
   local name = check.name(object)
   if #names == 0 then
      return find(text, "global '", 1, true) and why or format('%s%s: %s', where(), name, text)
   end
   for i = NAMED + 1, #names do names[i] = nil end
   return format("%s%s: the field '%s' must not be %s (%s)", where(), name, concat(names, "' or '"),
      described(object, names), text)
end

return errors.worded
