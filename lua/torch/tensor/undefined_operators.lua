-- Errors for operators that a class does not define; LuaJIT's own would mention structs.

local errors = require 'torch.base.errors'

local undefined_operators = {}

local both = {
   __add = 'addition', __sub = 'subtraction', __mul = 'multiplication', __div = 'division', __mod = 'modulo',
   __pow = 'power', __concat = 'concat', __lt = 'less-than', __le = 'less-than-or-equal',
}
local single = { __unm = 'negation', __len = 'length', __call = 'call' }
local lists = { __pairs = 'pairs', __ipairs = 'ipairs' }

local made = setmetatable({}, { __mode = 'k' })

-- Tells whether a metamethod only raises an error of this file.
function undefined_operators.has(f) return made[f] == true end

-- Returns g, which is like f in this.
function undefined_operators.as(f, g)
   made[g] = made[f]
   return g
end

local function define(metatable, event, f)
   if metatable[event] then return end
   metatable[event], made[f] = f, true
end

function undefined_operators.add(metatable)
   for event, word in pairs(both) do
      define(metatable, event, function(a, b)
         errors.raise('both %s and %s have no %s operator', errors.describe(a), errors.describe(b), word)
      end)
   end
   for event, word in pairs(single) do
      define(metatable, event, function(object)
         errors.raise('%s has no %s operator', errors.describe(object), word)
      end)
   end
   for event, name in pairs(lists) do
      define(metatable, event, function(object)
         errors.argument_error(name, 1, 'a table', object)
      end)
   end
end

return undefined_operators
