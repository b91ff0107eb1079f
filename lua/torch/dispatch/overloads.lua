-- Makes, from the Signatures of an operation (see base/signatures.lua), the code that matches the arguments of a call,
-- fills in defaults and calls the kernel. `call` is the use of the entry: 'method' or 'function'.

local concat, find, format, min = table.concat, string.find, string.format, math.min
local ipairs, select, tonumber, type, unpack = ipairs, select, tonumber, type, unpack
local ffi = require 'ffi'
local errors, signatures = require 'torch.base.errors', require 'torch.base.signatures'
local geometry, keepdim = require 'torch.base.geometry', require 'torch.dispatch.keepdim'
local proxies = require 'torch.base.proxies'
local mersenne_twister, types = require 'torch.random.mersenne_twister', require 'torch.base.types'
local element, template, warn = require 'torch.loops.element', require 'torch.jit.template', require 'torch.base.warn'
local istype = ffi.istype

local overloads = {}

local MAX_ARGUMENTS = 8

-- Kinds of values, one hexadecimal digit each; the kinds of a call, preceded by their number, are a single number to
-- compare. The number distinguishes a last argument that is nil, usually an unset variable, from an omitted one.
local NUMBER, OWN, LONG, BYTE, STRING, BOOLEAN, TABLE, GENERATOR, OTHER = 1, 2, 3, 4, 6, 7, 8, 9, 15
local INT, FLOAT, DOUBLE = 10, 11, 12

-- The kinds that are cdata, by the names of their C types in an entry's source; the others by Lua type.
local ctypes = {
   [OWN] = 'own', [LONG] = 'long', [BYTE] = 'byte', [GENERATOR] = 'generator', [INT] = 'int', [FLOAT] = 'float',
   [DOUBLE] = 'double',
}
local lua_types = { [NUMBER] = 'number', [STRING] = 'string', [BOOLEAN] = 'boolean', [TABLE] = 'table' }

local function kinds_of(letter, T)
   if letter == 'r' or letter == 'R' or letter == 't' then return OWN end
   if letter == 'L' then return T.name == 'Long' and OWN or LONG end
   if letter == 'B' then return T.name == 'Byte' and OWN or BYTE end
   if letter == 'v' or letter == 'n' or letter == 'd' then return NUMBER end
   local own = { s = STRING, b = BOOLEAN, k = BOOLEAN, T = TABLE, G = GENERATOR, I = INT, F = FLOAT, D = DOUBLE }
   return own[letter] or OTHER
end

-- One overload of a signature: the kinds of its arguments and the expression for each slot. With `is_self` the first
-- argument is the result and the first tensor; the second result tells whether there is such a tensor. `keep` is the
-- argument of slot k.
local function overload(slots, T, given, is_self)
   local kinds, values, found, keep = {}, {}, not is_self, nil
   for i, slot in ipairs(slots) do
      if not found and slot.letter == 't' then
         found, values[i] = true, 'a1'
      elseif slot.letter == 'k' then
         if given[i] then
            kinds[#kinds + 1] = BOOLEAN
            keep = 'a' .. #kinds
         end
      elseif given[i] then
         kinds[#kinds + 1] = kinds_of(slot.letter, T)
         values[i] = 'a' .. #kinds
      else
         values[i] = slot.default or 'nil'
      end
   end
   return { kinds = kinds, values = values, keep = keep }, found
end

-- All overloads of a signature, the fullest last. Self is the result and maybe the first tensor. torch5 keeps all
-- dimensions.
local function overloads_of(signature, T, call)
   local slots, groups = signatures.parse(signature)
   local in_self, list = call == 'method' and slots[1].letter == 'r', {}
   if geometry.columns and slots[#slots].letter == 'k' then slots[#slots], groups = nil, groups - 1 end
   for _, given in ipairs(signatures.choices(slots, groups)) do
      if not in_self then
         list[#list + 1] = overload(slots, T, given)
      elseif not (slots[1].group and given[1]) then
         given[1] = true
         list[#list + 1] = overload(slots, T, given)
         local with_tensor, found = overload(slots, T, given, true)
         if found then list[#list + 1] = with_tensor end
      end
   end
   return list
end

-- The kinds are determined inline, not by a function: one called for each argument would get hot before the program's
-- own loop, and traces would start there.
local entry_source = [[
local enter
enter = function(count, a1, a2, a3, a4, a5, a6, a7, a8)
   local key = count * $radix
$key
$tests
   return fail(enter, count, a1, a2, a3, a4, a5, a6, a7, a8)
end
return enter]]

-- Source that adds the digit of an argument to `key`, where it is one of a set of kinds or any other.
local function digit_source(position, kinds)
   local value, lines = 'a' .. position, {}
   local function add(condition, kind)
      lines[#lines + 1] = format('%s %s then key = key + %.0f', #lines == 0 and 'if' or 'elseif', condition,
         kind * 16 ^ (position - 1))
   end
   for kind = NUMBER, DOUBLE do
      local is_needed = kinds[kind]
      if is_needed and ctypes[kind] then
         add(format('istype(%s, %s)', ctypes[kind], value), kind)
      elseif is_needed then
         add(format("type(%s) == '%s'", value, lua_types[kind]), kind)
      end
   end
   add(format("type(%s) ~= 'nil'", value), OTHER)
   return concat(lines, '\n') .. '\nend\n'
end

local function key_source(kinds_at)
   local parts = {}
   for position = 1, MAX_ARGUMENTS do parts[position] = digit_source(position, kinds_at[position] or {}) end
   return format('%s%sif count > 2 then\n%sif count > 3 then\n%send\nend', parts[1], parts[2], parts[3],
      concat(parts, '', 4))
end

-- Passes on a call with a proxy without its arguments beyond `count`; `unpack` would end every trace that reaches it.
local function to_proxies(name, call, count, a, b, c, d, ...)
   if count == 1 then return proxies.call(name, call, a) end
   if count == 2 then return proxies.call(name, call, a, b) end
   if count == 3 then return proxies.call(name, call, a, b, c) end
   if count == 4 then return proxies.call(name, call, a, b, c, d) end
   return proxies.call(name, call, unpack({ a, b, c, d, ... }, 1, min(count, MAX_ARGUMENTS)))
end

-- The number for a string, nil if there is none. `text`: integer types take any text in its place.
local function number_of(name, T, value, text)
   if not text or not T.integer then return tonumber(value) end
   local number = element.integer_of(value)
   if not tonumber(value) then warn.once("%s: '%s' counts as %.0f, as in the original", name, value, number) end
   return number
end

-- Proxies go to their package. A trailing type name selects the type, and numeric strings count as numbers: the call
-- is retried.
local function failure(name, T, call, expected, function_of, text)
   return function(enter, count, ...)
      if proxies.among(...) then return to_proxies(name, call, count, ...) end
      local given, converted = { ... }, false
      count = min(count, MAX_ARGUMENTS)
      local S = call == 'function' and types.by_typename[given[count]]
      if S then return function_of(S)(unpack(given, 1, count - 1)) end
      for i = 1, count do
         local number = type(given[i]) == 'string' and number_of(name, T, given[i], text and i == count)
         if number then given[i], converted = number, true end
      end
      if converted then return enter(count, unpack(given, 1, count)) end
      local usage = {}
      for i, signature in ipairs(expected) do usage[i] = signatures.usage(signature, T) end
      errors.raise('%s: invalid arguments: %s; expected%s %s', name, signatures.given(count, ...),
         call == 'method' and ' (self first)' or '', concat(usage, ' | '))
   end
end

-- The function that programs call: it passes the number of arguments to an entry. The entry itself has a fixed number
-- of parameters, since no trace can start at a vararg function. Since a side trace cannot return to a vararg function
-- either, this is a tail call, of which a trace may have few; the path to a kernel has no others.
function overloads.public(enter)
   return function(...) return enter(select('#', ...), ...) end
end

local function has_several_results(signature)
   local slots = signatures.parse(signature)
   return #slots > 1 and find('RL', slots[1].letter, 1, true) ~= nil and find('RLI', slots[2].letter, 1, true) ~= nil
end

-- An entry for a function that counts its arguments itself.
function overloads.counted(f)
   return function(_, ...) return f(...) end
end

-- The types that signatures name, on the device of a type.
local function family(T)
   local of, title = types.by_name, T.base and 'Cuda' or ''
   return of[title .. 'Long'], of[title .. 'Byte'], of[title .. 'Int'], of[T.base and 'Cuda' or 'Float'],
      of[title .. 'Double']
end

-- The entry enter(count, ...) of an operation for a type: cases is a list of { signature, kernel }, function_of(S) the
-- operation for a type. Other calls raise an error, or go to `otherwise`(enter, count, ...). With cases.text, integer
-- types take text as the last argument.
function overloads.entry(name, T, call, cases, function_of, otherwise)
   local upvalues, tests, expected, seen, kinds_at = {}, {}, {}, {}, {}
   for i, case in ipairs(cases) do
      upvalues['f' .. i], expected[i] = case[2], case[1]
      for _, way in ipairs(overloads_of(case[1], T, call)) do
         local key = #way.kinds * 16 ^ MAX_ARGUMENTS
         for position, kind in ipairs(way.kinds) do
            key = key + kind * 16 ^ (position - 1)
            kinds_at[position] = kinds_at[position] or {}
            kinds_at[position][kind] = true
         end
         if not seen[key] then
            seen[key] = true
            local several = case.several or has_several_results(case[1])
            local kernel, values = 'f' .. i, concat(way.values, ', ')
            if way.keep then
               kernel, values = 'g' .. i, way.keep .. ', ' .. values
               upvalues[kernel] = upvalues[kernel] or keepdim.wrap(name, case[1], case[2])
            end
            local call_kernel = several and '   if key == %.0f then return %s(%s) end'
               or '   if key == %.0f then return (%s(%s)) end'
            tests[#tests + 1] = format(call_kernel, key, kernel, values)
         end
      end
   end
   local Long, Byte, Int, Float, Double = family(T)
   upvalues.istype, upvalues.type, upvalues.own, upvalues.generator = istype, type, T.tensor_ct,
      mersenne_twister.generator_ct
   upvalues.long, upvalues.byte, upvalues.int = Long.tensor_ct, Byte.tensor_ct, Int.tensor_ct
   upvalues.float, upvalues.double = Float.tensor_ct, Double.tensor_ct
   upvalues.fail = otherwise or failure(name, T, call, expected, function_of, cases.text)
   return template.compile(name, entry_source, { radix = 16 ^ MAX_ARGUMENTS, key = key_source(kinds_at),
      tests = concat(tests, '\n') }, upvalues)
end

return overloads
