-- Bytecode from string.dump in files and strings. LuaJIT trusts it: a dump is loaded only if its version, all its
-- lengths and the values of its constants are what string.dump writes. Its instructions are not checked.

local band = require('bit').band
local find, format, loadstring, sub = string.find, string.format, loadstring, string.sub
local byte = string.byte

local bytecode = {}

bytecode.DAMAGED = 'its bytecode is damaged'

-- Flags of the header that may differ between dumps of one version: stripped of debug information, with cdata.
local STRIPPED, CDATA = 2, 4
-- Flags of a function in a dump: it has inner functions, takes any number of arguments, uses cdata.
local OF_FUNCTIONS = 7
local own = string.dump(function() end)
local VERSION, FLAGS = byte(own, 4), band(byte(own, 5), 0xff - STRIPPED - CDATA)

-- Kinds of constants of functions, and of constants in tables. Greater numbers are strings, by their lengths.
local CHILD, TABLE, COMPLEX, STRING = 0, 1, 4, 5
local NIL, INTEGER, NUMBER = 0, 3, 4
-- Names of local variables begin with a byte of at least NAMED; smaller bytes stand for variables of the language,
-- such as '(for index)', and 0 ends the list.
local NAMED = 7

local DAMAGED = {}
local function damaged() error(DAMAGED, 0) end

-- Decodes a number of up to 32 bits, seven in each byte (ULEB128): returns the index after it, and the number. In a
-- `flagged` one the lowest bit of the first byte is a separate flag.
local function after_number(text, at, flagged)
   local value, weight = 0, 1
   for i = at, at + 4 do
      local b = byte(text, i) or damaged()
      if flagged and i == at then
         b = (b - b % 2) / 2
         value, weight = band(b, 63), 64
         if b < 64 then return i + 1, value end
      else
         value = value + band(b, 127) * weight
         if b < 128 then
            if value >= 2^32 then damaged() end
            return i + 1, value
         end
         weight = weight * 128
      end
   end
   damaged()
end

-- Checks a double that is stored as two halves. LuaJIT takes a NaN with any other bits for a value of another type,
-- for example a pointer.
local function check_number(low, high)
   local exponent = band(high, 0x7ff00000)
   if exponent ~= 0x7ff00000 or high % 2^20 == 0 and low == 0 then return end
   if low ~= 0 or high % 2^20 ~= 0x80000 then damaged() end
end

-- Skips a constant in a table: nil, false, true, an integer, a double, or a string.
local function skip_table_constant(text, at, is_key)
   local kind, low, high
   at, kind = after_number(text, at)
   if kind >= STRING then return at + kind - STRING end
   if kind == INTEGER then
      at = after_number(text, at)
   elseif kind == NUMBER then
      at, low = after_number(text, at)
      at, high = after_number(text, at)
      check_number(low, high)
      if is_key and band(high, 0x7ff00000) == 0x7ff00000 and high % 2^20 ~= 0 then damaged() end
   elseif kind == NIL and is_key then
      damaged()
   end
   return at
end

local function skip_table(text, at)
   local array, hash
   at, array = after_number(text, at)
   at, hash = after_number(text, at)
   if array + 2 * hash > #text then damaged() end
   for i = 1, array + 2 * hash do
      at = skip_table_constant(text, at, i > array and (i - array) % 2 == 1)
      if at > #text + 1 then damaged() end
   end
   return at
end

-- Skips a constant: the function on top of `stack`, a table, a number of 8 or 16 bytes, or a string.
local function skip_constant(text, at, stack)
   local kind
   at, kind = after_number(text, at)
   if kind == CHILD then
      if stack.count == 0 then damaged() end
      stack.count = stack.count - 1
      return at
   end
   if kind == TABLE then return skip_table(text, at) end
   if kind >= STRING then return at + kind - STRING end
   -- 64-bit integers and complex numbers are objects of the FFI: any bits are valid.
   for _ = 1, kind == COMPLEX and 4 or 2 do at = after_number(text, at) end
   return at
end

-- Skips a numeric constant: its lowest bit is 1 for a double, which is stored as two halves, and 0 for an integer.
local function skip_number_constant(text, at)
   local is_number = band(byte(text, at) or damaged(), 1) == 1
   local low, high
   at, low = after_number(text, at, true)
   if is_number then
      at, high = after_number(text, at)
      check_number(low, high)
   end
   return at
end

local function skip_name(text, at, stop)
   local last = find(text, '\0', at, true)
   if not last or last >= stop then damaged() end
   return last + 1
end

-- Checks the debug information from `at` to `stop`: line numbers, names of upvalues, and local variables, each with the
-- instructions where its scope begins and ends.
local function check_names(text, at, stop, instructions, lines, upvalues)
   local size = lines < 256 and 1 or lines < 65536 and 2 or 4
   at = at + instructions * size
   if at > stop then damaged() end
   for _ = 1, upvalues do at = skip_name(text, at, stop) end
   while at < stop do
      local first = byte(text, at)
      if first == 0 then
         if at + 1 ~= stop then damaged() end
         return
      end
      if first < NAMED then at = at + 1 else at = skip_name(text, at, stop) end
      at = after_number(text, (after_number(text, at)))
   end
   damaged()
end

-- Checks one function prototype, which must extend from `at` to `stop`.
local function walk(text, at, stop, stripped, stack)
   local flags, parameters, slots, upvalues = byte(text, at, at + 3)
   if not upvalues or flags > OF_FUNCTIONS or slots > 250 or parameters > slots then damaged() end
   at = at + 4
   local objects, numbers, instructions, debug_size, lines
   at, objects = after_number(text, at)
   at, numbers = after_number(text, at)
   at, instructions = after_number(text, at)
   debug_size = 0
   if not stripped then at, debug_size = after_number(text, at) end
   -- The first line and the number of lines.
   if debug_size > 0 then at, lines = after_number(text, (after_number(text, at))) end
   if instructions == 0 then damaged() end
   at = at + 4 * instructions + 2 * upvalues
   if at > stop or objects + numbers > stop - at then damaged() end
   for _ = 1, objects do
      at = skip_constant(text, at, stack)
      if at > stop then damaged() end
   end
   for _ = 1, numbers do
      at = skip_number_constant(text, at)
      if at > stop then damaged() end
   end
   if at + debug_size ~= stop then damaged() end
   if debug_size > 0 then check_names(text, at, stop, instructions, lines, upvalues) end
end

local function walk_all(text, stripped)
   local at = 6
   if not stripped then
      local after, length = after_number(text, at)
      at = after + length
   end
   local stack = { count = 0 }
   while true do
      local start, length = after_number(text, at)
      if length == 0 then
         if start == #text + 1 and stack.count == 1 then return end
         damaged()
      end
      at = start + length
      if at > #text + 1 then damaged() end
      walk(text, start, at, stripped, stack)
      stack.count = stack.count + 1
   end
end

-- Returns nil if `text` can be loaded, otherwise the reason why it cannot.
function bytecode.fault(text)
   if sub(text, 1, 3) ~= '\27LJ' then
      if sub(text, 1, 4) == '\27Lua' then return 'it is bytecode of another Lua than LuaJIT' end
      return 'it is not bytecode'
   end
   local version, flags = byte(text, 4) or 0, byte(text, 5) or 0
   if version ~= VERSION or band(flags, 0xff - STRIPPED - CDATA) ~= FLAGS then
      return format('it is bytecode of another LuaJIT (version %d, flags %d; here version %d, flags %d)', version,
         flags, VERSION, FLAGS)
   end
   local ok, reason = pcall(walk_all, text, band(flags, STRIPPED) ~= 0)
   if ok then return nil end
   if reason == DAMAGED then return bytecode.DAMAGED end
   error(reason, 0)
end

-- The function of a dump; nil and the reason on failure.
function bytecode.load(text)
   local reason = bytecode.fault(text)
   if reason then return nil, reason end
   local f, message = loadstring(text, '=loaded')
   if not f then return nil, message end
   return f
end

return bytecode
