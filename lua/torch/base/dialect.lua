-- The dialect: 't7' (the documents), 'th' (the last Torch7), 'torch5', or 'modern', where operations broadcast.

local dialect = { name = 't7', names = { 't7', 'th', 'torch5', 'modern' } }
local watchers = {}

function dialect.watch(changed) watchers[#watchers + 1] = changed end

function dialect.set(name)
   local known = false
   for _, other in ipairs(dialect.names) do known = known or name == other end
   if not known then
      error("dialect: must be one of '" .. table.concat(dialect.names, "', '") .. "' (got " .. tostring(name) .. ')', 2)
   end
   dialect.name = name
   for _, changed in ipairs(watchers) do changed() end
end

return dialect
