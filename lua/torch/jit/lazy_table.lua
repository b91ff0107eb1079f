-- lazy_table(make [, entries]): a table whose entry for a key is make(key), computed when it is first read; `entries`
-- is a table that has some already. Such tables hold code generated per element type or size; class/lazy.lua defers the
-- functions and classes that programs see.

return function(make, entries)
   return setmetatable(entries or {}, { __index = function(made, key)
      local value = make(key)
      rawset(made, key, value)
      return value
   end })
end
