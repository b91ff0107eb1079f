-- The arguments that the row of a class documents, see reference.lua: a list of { name, default or nil, whether it may
-- be left out, meaning }.

return function(row)
   local list = {}
   for i, text in ipairs(row.arguments or {}) do
      local name, default, mark, meaning = string.match(text, '^([%w_.]+)=?([^:?]*)(%??): (.*)$')
      list[i] = { name, default ~= '' and default or nil, default ~= '' or mark == '?', meaning }
   end
   return list
end
