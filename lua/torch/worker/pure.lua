-- Functions that only calculate: they take numbers, give a number or nothing, and neither see nor change anything else.
-- Another LuaJIT state may call a copy of such a function for some of the elements, in any order.

local bit, util = require 'bit', require 'jit.util'
local band, rshift = bit.band, bit.rshift
local dump, getfenv, loadstring, next, rawget, type = string.dump, debug.getfenv, loadstring, next, rawget, type
local maths = math

local pure = {}

-- Functions of `math` that give one number, and how many numbers they take at least.
local least = {
   abs = 1, acos = 1, asin = 1, atan = 1, atan2 = 2, ceil = 1, cos = 1, cosh = 1, deg = 1, exp = 1, floor = 1, fmod = 2,
   ldexp = 2, log = 1, log10 = 1, max = 1, min = 1, pow = 2, rad = 1, sin = 1, sinh = 1, sqrt = 1, tan = 1, tanh = 1,
}

local names = {}
for name in next, least do names[maths[name]] = name end

-- The instructions that only calculate are those of these functions: their codes differ between versions of LuaJIT.
-- There is no loop among them, and jumps that go back are refused: what calculates comes to an end.
local samples = {
   function(x, y) return -((x + y) * (x - y) / x % y ^ x) end,
   function(x) return ((x + 1) * 2 - 3) / 4 % 5 end,
   function(x) return 1 + 2 * (3 - 4 / (5 % x)) end,
   function(x, y) if x < y then return x elseif x <= y then return 0.5 elseif x == y then return y end end,
   function(x, y) if not (x < y) then return x elseif not (x <= y) then return 7 elseif x ~= y then return y end end,
   function(x, y) if x == 1 then return x elseif y ~= 1 then return y end end,
   function(x, y) local z = x and y or x if z then return z elseif not y then x = y end return x end,
   function(x, y) return x < y and x or y end,
}

-- What an operand of an instruction may be, of LuaJIT's kinds: nothing, or a slot that is read.
local NONE, READ = 0, 3

-- Instruction `pc` of a function: its code, its operands, and the kinds of b and c. Without b, c has 16 bits.
local function instruction(f, pc)
   local word, mode = util.funcbc(f, pc)
   local b_kind, c_kind = band(rshift(mode, 3), 15), band(rshift(mode, 7), 15)
   local a, c = band(rshift(word, 8), 255), rshift(word, 16)
   if b_kind == NONE then return band(word, 255), a, nil, c, b_kind, c_kind end
   return band(word, 255), a, rshift(c, 8), band(c, 255), b_kind, c_kind
end

local calculates = {}
for _, f in next, samples do
   for pc = 1, util.funcinfo(f).bytecodes - 1 do calculates[instruction(f, pc)] = true end
end

local function code_at(f, pc) return (instruction(f, pc)) end

-- A jump goes back when its operand is less than the second number.
local JUMP, FORWARD = code_at(function(x) if x then return x end end, 2), 2 ^ 15

-- Getting a global, a field of it, and calling: what `math.exp(x)` has besides. `math` is no local variable here.
-- Calls differ by whether they are the last thing a function does, and whether their last argument is a call.
local called, returned = function(x) local y = math.exp(x) return y end, function(x) return math.exp(x) end
local GLOBAL, FIELD = code_at(called, 1), code_at(called, 2)
local calls = { [code_at(called, 4)] = true, [code_at(returned, 4)] = true }
local calls_of_calls = {
   [code_at(function(x) local y = math.exp(math.exp(x)) return y end, 7)] = true,
   [code_at(function(x) return math.exp(math.exp(x)) end, 7)] = true,
}

-- The function of `math` that two instructions from `pc` on get, by its name; nil for anything else.
local function callee(f, pc, stop)
   if pc + 1 >= stop then return nil end
   local _, slot, _, global = instruction(f, pc)
   local code, to, from, field = instruction(f, pc + 1)
   if code ~= FIELD or to ~= slot or from ~= slot or util.funck(f, -global - 1) ~= 'math' then return nil end
   local name = util.funck(f, -field - 1)
   local module = rawget(getfenv(f), 'math')
   if type(module) == 'table' and least[name] and rawget(module, name) == maths[name] then return name, slot end
end

-- Whether all instructions calculate. Values in slots are numbers, but for the functions in `pending` that are about to
-- be called: no instruction may use these, and no jump may come before the call. The result of a call that is `open`
-- is the last argument of the call that comes next.
local function only_calculates(f, stop)
   local pending, open, pc = {}, false, 1
   while pc < stop do
      local code, a, b, c, b_kind, c_kind = instruction(f, pc)
      if calls[code] or calls_of_calls[code] then
         local name, count = pending[a], open and c + 1 or c - 1
         -- Arguments are behind the function.
         for slot in next, pending do
            if slot > a then return false end
         end
         if not name or count < least[name] or open ~= (calls_of_calls[code] == true) then return false end
         open = b == 0
         if b and b ~= 2 and not open then return false end
         pending[a] = nil
      elseif open then
         return false
      elseif code == GLOBAL then
         local name, slot = callee(f, pc, stop)
         if not name or pending[slot] then return false end
         pending[slot] = name
         pc = pc + 1
      elseif not calculates[code] or code == JUMP and (c < FORWARD or next(pending)) or pending[a]
         or b_kind == READ and pending[b] or c_kind == READ and pending[c] then
         return false
      end
      pc = pc + 1
   end
   return next(pending) == nil
end

-- A text of which `pure.load` makes the function again, in any state; nil when calling f with `inputs` numbers may do
-- more than calculate.
function pure.text(f, inputs)
   if type(f) ~= 'function' then return nil end
   local name = names[f]
   if name then return least[name] <= inputs and name or nil end
   local info = util.funcinfo(f)
   if not info.bytecodes or info.isvararg or info.upvalues > 0 or info.params > inputs then return nil end
   return only_calculates(f, info.bytecodes) and dump(f, true) or nil
end

-- As many functions are kept for the next time.
local MOST = 64
local loaded, kept = {}, 0

function pure.load(text)
   local f = maths[text] or loaded[text]
   if f then return f end
   if kept == MOST then loaded, kept = {}, 0 end
   f = loadstring(text)
   loaded[text], kept = f, kept + 1
   return f
end

return pure
