-- csvigo.File: a file of separated values that is read or written row by row.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local large, rows = require 'csvigo.large', require 'csvigo.rows'

return function(csvigo)
   local File = torch.class('csvigo.File', csvigo)

   -- `mode` is that of io.open, 'r' by default; `nrows` is the most rows that readall gives.
   function File:__init(filename, mode, separator, nrows)
      check.kind('csvigo.File', 'filename', filename, 'string')
      self.filepath, self.separator, self.nrows = filename, separator or ',', nrows
      local file, why = io.open(filename, mode or 'r')
      if not file then errors.raise('csvigo.File: cannot open %s', why) end
      self.file = file
   end

   function File:close() self.file:close() end

   -- The fields of the next row, nil at the end. A row goes on over lines while a quote is open.
   function File:read()
      local text = self.file:read()
      while text do
         local _, quotes = text:gsub('"', '')
         if quotes % 2 == 0 then break end
         local more = self.file:read()
         if not more then break end
         text = text .. '\n' .. more
      end
      if not text then return nil end
      text = text:gsub('\r$', '')
      return rows.fields(text, 1, #text, self.separator)
   end

   function File:lines()
      return function() return self:read() end
   end

   function File:readall()
      local list = {}
      for row in self:lines() do
         if self.nrows and #list >= self.nrows then break end
         list[#list + 1] = row
      end
      return list
   end

   -- The rows of the rest of the file, which are read from its text when they are asked for.
   function File:largereadall()
      return large(self.file:read '*a', { skip = 0, nrows = self.nrows, separator = self.separator })
   end

   -- Writes a row: a list of values.
   function File:write(row)
      check.kind('csvigo.File:write', 'the row', row, 'table')
      self.file:write(rows.line(row, #row, self), '\n')
   end

   function File:writeall(list)
      check.kind('csvigo.File:writeall', 'the rows', list, 'table')
      for _, row in ipairs(list) do self:write(row) end
   end
end
