-- lazy_table(make): a table whose entry for a key is make(key), made when it is first read. Code that is made for each
-- element type or size is kept in such tables; class/lazy.lua defers the functions and classes that programs see.

return function(make)
   return setmetatable({}, { __index = function(made, key)
      local value = make(key)
      rawset(made, key, value)
      return value
   end })
end
