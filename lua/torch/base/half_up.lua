-- Rounding in formats as the LuaJIT of Torch7 did it, in the dialect th: a decimal half goes away from zero, where
-- LuaJIT today takes the even digit. 0.25 with one decimal is 0.3.

local abs, floor = math.abs, math.floor
local find, format, gmatch, lower = string.find, string.format, string.gmatch, string.lower
local match, rep, sub = string.match, string.rep, string.sub
local select, setmetatable, tonumber, type, unpack = select, setmetatable, tonumber, type, unpack

local half_up = {}

local MAX_DECIMALS = 20               -- decimals up to which halves are looked for
local MORE = 1 + 2 ^ -52      -- a number times this is the next one, or the one after it

-- Tells whether a number is a decimal tie, with p decimals or, for 'e', p digits after the first.
local function is_half(value, p)
   -- A tie has one more decimal, and is an odd multiple of 2^-(p + 1).
   local scaled = value * 2 ^ (p + 1)
   return scaled == floor(scaled) and abs(scaled) < 2 ^ 53 and sub(format('%.' .. p + 1 .. 'f', value), -1) == '5'
end

local function is_half_of_digits(value, p)
   local zeros = match(format('%.' .. p + MAX_DECIMALS .. 'e', value), '^%-?%d%.?' .. rep('%d', p) .. '5(0+)e')
   return zeros ~= nil
end

-- Whether two numbers have the same digits before the last one of p + 1, which is that of a half.
local function agree(a, b, kind, p)
   local form = '%.' .. p + 1 .. (kind == 'f' and 'f' or 'e')
   local digits = kind == 'f' and '^(.*).$' or '^(.*).e'
   return match(format(form, a), digits) == match(format(form, b), digits)
end

-- Returns a number that the format rounds as Torch7's did. `kind` is 'f', 'e' or 'g', p its precision. With more than
-- 15 digits the next number may have others: there a half goes to the even digit.
function half_up.adjusted(value, kind, p)
   if value ~= value or value - value ~= 0 or p > MAX_DECIMALS then return value end
   if kind == 'g' then p = p == 0 and 0 or p - 1 end
   local half
   if kind == 'f' then half = is_half(value, p) else half = is_half_of_digits(value, p) end
   local above = half and value * MORE
   return above and agree(above, value, kind, p) and above or value
end
local adjusted = half_up.adjusted

-- Format -> list of { index of the value, kind, precision }; false if it has no such number.
local numbers_of = setmetatable({}, { __mode = 'v' })
local NONE = {}

local function parse(text)
   local list, index = {}, 0
   for _, _, point, digits, letter in gmatch(text, '%%([-+ #0]*)(%d*)(%.?)(%d*)(.)') do
      if letter ~= '%' then
         index = index + 1
         if find(letter, '[eEfFgG]') then
            list[#list + 1] = { index, lower(letter), point == '' and 6 or tonumber(digits) or 0 }
         end
      end
   end
   return #list > 0 and list or NONE
end

function half_up.format(text, ...)
   if type(text) ~= 'string' then return format(text, ...) end
   local list = numbers_of[text]
   if not list then
      list = parse(text)
      numbers_of[text] = list
   end
   if list == NONE then return format(text, ...) end
   local values = { ... }
   for i = 1, #list do
      local entry = list[i]
      local value = values[entry[1]]
      if type(value) == 'number' then values[entry[1]] = adjusted(value, entry[2], entry[3]) end
   end
   return format(text, unpack(values, 1, select('#', ...)))
end

return half_up
