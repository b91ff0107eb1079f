-- Which generation of Torch the shell speaks: 't7' (the documents), 'th' (the last Torch7), 'torch5'.

local error, tostring = error, tostring

local dialect = { name = 't7' }
local known = { t7 = true, th = true, torch5 = true }

function dialect.set(name)
   if not known[name] then
      error("dialect: expected 't7', 'th' or 'torch5', got " .. tostring(name), 2)
   end
   dialect.name = name
end

return dialect
