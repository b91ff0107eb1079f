-- The constructor of a class whose row says `fields`: it keeps the arguments that the row documents in fields of their
-- names. Then it calls the __init of the class's file, without arguments, which sets the other fields.

local arguments_of, template = require 'nn.arguments_of', require 'torch.jit.template'

local source = [[
return function($parameters)
   base.__init($inherited)
   $fields
   finish(self)
end]]

local function nothing() end

-- `base` has the methods of the parent, whose own row is `base_row`; `finish` may be nil.
return function(row, base, base_row, finish)
   local parameters, inherited, fields = { 'self' }, { 'self' }, {}
   local kept = base_row and base_row.fields and #base_row.arguments or 0
   for i, argument in ipairs(arguments_of(row)) do
      local name, default = argument[1], argument[2]
      table.insert(parameters, name)
      if i <= kept then
         table.insert(inherited, name)
      else
         -- A default may refer to an earlier argument. Only nil is replaced by `true`.
         if default == 'true' then
            table.insert(fields, string.format("if type(%s) == 'nil' then %s = true end", name, name))
         elseif default then
            table.insert(fields, string.format('%s = %s or %s', name, name, default))
         end
         table.insert(fields, string.format('self.%s = %s', name, name))
      end
   end
   local values = { parameters = table.concat(parameters, ', '), inherited = table.concat(inherited, ', '),
      fields = table.concat(fields, '\n   ') }
   return template.compile('nn ' .. row[1], source, values,
      { base = base, finish = finish or nothing, type = type })
end
