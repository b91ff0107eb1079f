-- who, clear and clearall: the global variables that the user has made, without loaded packages.

local globals = _G

return function(xlua)
   local ours = { arg = true, breakpoint = true, debugger = true, xerror = true, xprint = true, xrequire = true }
   for name in pairs(globals) do ours[name] = true end

   local function users()
      local names = {}
      for name in pairs(globals) do
         if type(name) == 'string' and not ours[name] and not package.loaded[name] then names[#names + 1] = name end
      end
      table.sort(names)
      return names
   end

   -- Prints the names and types of the user's global variables.
   function xlua.who()
      for _, name in pairs(users()) do io.write(name, '\t', type(globals[name]), '\n') end
   end

   -- Forgets one of the user's global variables, or all of them.
   function xlua.clear(name)
      if name ~= nil then
         globals[tostring(name)] = nil
      else
         for _, each in pairs(users()) do globals[each] = nil end
      end
   end

   -- Forgets all of the user's global variables, and frees their values.
   function xlua.clearall()
      xlua.clear()
      collectgarbage()
   end
end
