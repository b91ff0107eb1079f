-- Plans of modules that are kept between calls; they are neither saved nor cloned. plan_cache(new) returns
-- plan(module, numbers, include, relative): the module's last plan if it has these 18 numbers and `include`, otherwise
-- that of new(numbers, include, relative).

local function fits(p, numbers, include)
   if p.include ~= include then return false end
   local known = p.numbers
   for i = 1, 18 do
      if known[i] ~= numbers[i] then return false end
   end
   return true
end

return function(new)
   local plans = setmetatable({}, { __mode = 'k' })
   return function(module, numbers, include, relative)
      local p = plans[module]
      if not p or not fits(p, numbers, include) then
         p = new(numbers, include, relative)
         plans[module] = p
      end
      return p
   end
end
