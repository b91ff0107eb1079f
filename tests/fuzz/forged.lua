-- Calls operations with tensors whose memory holds NaNs with payloads, which LuaJIT takes for other values when they
-- are read as numbers: t7 forged.lua <on or off: the compiler> <name> ... Prints a line for each one that comes out.

local ffi, bit = require 'ffi', require 'bit'
local types = require 'torch.base.types'

local forged = {}

-- Upper halves: strings, tables, functions, cdata, nil and true; without the sign, and signalling.
local HIGH = { 0xfffd8000, 0xfffa0000, 0xfffb8000, 0xfff90000, 0xffff8000, 0xffff0000, 0x7ffd8000, 0x7ff50000,
   0xfff50000 }
-- The floats that become such doubles.
local SINGLE = { 0xffec0000, 0xffd00000, 0xffdc0000, 0xffc80000, 0xfffc0000, 0xfff80000, 0x7fec0000, 0x7fa80000,
   0xffa80000 }

-- Writes such NaNs to each element whose number is a multiple of `every`.
local function spoil(t, every)
   local T = types.of_tensor(t)
   local n, words = t:nElement(), ffi.cast('int32_t *', t:data())
   for i = 0, n - 1, every do
      local k = i % #HIGH + 1
      if T.name == 'Double' then
         words[2 * i], words[2 * i + 1] = 0x41414140, bit.tobit(HIGH[k])
      elseif T.name == 'Float' then
         words[i] = bit.tobit(SINGLE[k])
      end
   end
   return t
end

forged.spoil = spoil

function forged.tensor(T, every, ...) return spoil(torch[T .. 'Tensor'](...):uniform(), every) end

-- Looks at the bits without reading a number.
local one = ffi.new 'double[1]'
local function is_plain(v)
   if v == v then return true end
   one[0] = v
   local words = ffi.cast('int32_t *', one)
   ffi.C.memmove(one, one, 0)
   return words[0] == 0 and bit.band(words[1], 0x7fffffff) == 0x7ff80000
end
ffi.cdef 'void *memmove(void *to, const void *from, size_t count);'

local expected = { number = true, cdata = true, table = true, boolean = true, ['nil'] = true, string = true,
   userdata = true, ['function'] = true }

function forged.check(label, ...)
   for i = 1, select('#', ...) do
      local v = (select(i, ...))
      local kind = type(v)
      if not expected[kind] or kind == 'number' and not is_plain(v) then print(label .. ': a forged ' .. kind) end
   end
end

-- Prints errors of Lua's own: what the interpreter makes of a forged operand.
function forged.called(label, fine, why, ...)
   if not fine and tostring(why):find 'attempt to' or tostring(why):find 'cannot convert' then
      print(label .. ': ' .. tostring(why):gsub('\n.*', ''))
   end
   return fine, why, ...
end

-- Calls a method in the forms that most operations have.
function forged.call(T, name)
   local a, b, row = forged.tensor(T, 1, 6, 6), forged.tensor(T, 3, 6, 6), forged.tensor(T, 1, 36)
   local cube, other = forged.tensor(T, 2, 3, 6, 6), torch[T .. 'Tensor'](6, 6):uniform()
   local index, mask = torch.LongTensor { 2, 1 }, torch.ByteTensor(6, 6):fill(1)
   local cases = {
      { a }, { a, 1 }, { a, 2 }, { a, b }, { a, other }, { other, a }, { other, b }, { row }, { row, 1 }, { row, row },
      { cube }, { cube, 1 }, { cube, 3 }, { cube, cube }, { a, 0.5, b }, { a, 1, 2 }, { a, 1, 1, 2 }, { a, 1, index },
      { a, mask }, { a, b, other }, { a, other, b, a }, { a:t() }, { a:t(), b }, { a, 1, b, a }, { a, row, row },
      { other, a, b }, { a, 1, true }, { a, 2, 1, 5 }, { row, 3, true }, { a:storage() }, { a[1], a[2] },
      { cube:transpose(1, 3) }, { cube:transpose(1, 3), 2 }, { row, 10, 0, 1 }, { a, index, 1 },
      { row[{ { 1, 6 } }], a, row },
      { a, function(x, y) forged.check(name .. ' argument', x, y) return x end },
      { a, b, function(x, y) forged.check(name .. ' argument', x, y) return x end },
      { forged.tensor(T, 4, 120, 120) }, { forged.tensor(T, 4, 120, 120), 1 }, { forged.tensor(T, 4, 120, 120), 2 },
      { forged.tensor(T, 50, 3000) }, { torch[T .. 'Tensor'](), a, b }, { torch[T .. 'Tensor'](), a, 1 },
   }
   for _, case in ipairs(cases) do
      local f = types.by_name[T].tensor_methods[name]
      if type(f) == 'function' then
         -- Other arguments for a few calls, and enough of them for a trace.
         local label = T .. ' ' .. name
         forged.check(label, forged.called(label, pcall(f, unpack(case))))
         collectgarbage 'step'
      end
   end
end

if arg and arg[0]:find 'forged.lua$' then
   if arg[1] == 'off' then jit.off() jit.flush() end
   for i = 2, #arg do
      for _, T in ipairs { 'Double', 'Float' } do
         io.stderr:write(T, ' ', arg[i], '\n')
         forged.call(T, arg[i])
      end
   end
   collectgarbage()
   print 'done'
end

return forged
