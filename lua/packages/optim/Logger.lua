-- optim.Logger: writes columns of numbers to a file, and plots them.

local check, errors, key_order = require 'torch.base.check', require 'torch.base.errors', require 'torch.base.key_order'
local paths = require 'paths'

return function(Logger)

   function Logger:__init(filename, timestamp)
      if filename then
         check.kind('Logger', 'filename', filename, 'string')
         self.name = filename
         local folder = paths.dirname(filename)
         if not paths.dirp(folder) then paths.mkdir(folder) end
         self.file = io.open(filename .. (timestamp and os.date '-%Y_%m_%d_%X' or ''), 'w')
         if not self.file then errors.raise('Logger: cannot write to %s', filename) end
         self.epsfile = self.name .. '.eps'
      else
         self.file = io.stdout
         self.name = 'stdout'
         _G.print('<Logger> warning: no path provided, logging to std out')
      end
      self.empty = true
      self.symbols, self.styles, self.names, self.idx, self.figure = {}, {}, {}, {}, nil
      self.showPlot, self.plotRawCmd, self.defaultStyle = true, nil, '+'
      self.logscale, self.xlogscale = false, false
   end

   local function write(self, items)
      for _, item in ipairs(items) do self.file:write(tostring(item), '\t') end
      self.file:write('\n')
      self.file:flush()
   end

   local function add_column(self, key, name)
      self.symbols[key], self.styles[key], self.names[key] = {}, { self.defaultStyle }, name
   end

   function Logger:setNames(names)
      check.kind('Logger:setNames', 'names', names, 'table')
      self.names, self.empty, self.nsymbols = names, false, #names
      for i, name in ipairs(names) do
         add_column(self, i, name)
         self.idx[name] = i
      end
      write(self, names)
      return self
   end

   -- A row: a list of numbers and strings, or a table of them by name. Without names from before, the columns are in
   -- the order of the keys of the first row.
   function Logger:add(symbols)
      check.kind('Logger:add', 'the row', symbols, 'table')
      if self.empty then
         self.empty, self.nsymbols, self.idx, self.keys = false, #symbols, self.names, {}
         for key in key_order.pairs(symbols) do
            add_column(self, key, key)
            self.keys[#self.keys + 1] = key
         end
         write(self, self.keys)
      end
      local row, known = {}, 0
      local keys = self.keys or #symbols == 0 and self.names
      for i = 1, keys and #keys or #symbols do
         local key = keys and keys[i] or i
         local value, column = symbols[key], self.symbols[self.keys and key or i]
         if type(value) == 'number' then
            row[#row + 1] = string.format('%11.4e', value)
         elseif type(value) == 'string' then
            row[#row + 1] = value
         elseif value ~= nil then
            errors.raise('Logger: values must be numbers and strings (got %s)', errors.describe(value))
         end
         if value ~= nil then
            if not column then break end
            column[#column + 1] = value
            known = known + 1
         end
      end
      for key in pairs(symbols) do
         known = known - 1
         if known < 0 then errors.raise('Logger: a value has no column, of the key %s or later', tostring(key)) end
      end
      write(self, row)
      return self
   end

   -- How columns are drawn: a string for all, or a string or a list of strings for each.
   function Logger:style(symbols)
      if type(symbols) ~= 'table' then check.kind('Logger:style', 'the style', symbols, 'string') end
      for key in pairs(self.names) do
         local style = type(symbols) == 'string' and symbols or symbols[key] or symbols[self.names[key]]
         if style then
            if type(style) ~= 'table' then style = { check.kind('Logger:style', 'a style', style, 'string') } end
            self.styles[key] = style
         end
      end
      return self
   end

   function Logger:setlogscale(state, axis)
      if type(state) == 'string' then state, axis = true, state end
      if axis == 'x' then self.xlogscale = state else self.logscale = state end
   end

   function Logger:display(state) self.showPlot = state end

   -- Draws the named columns, or all, from two values on; the file beside the log is written too, in a loop not each
   -- time but at the end.
   function Logger:plot(...)
      local ok, gnuplot = pcall(require, 'gnuplot')
      if not ok then errors.raise('Logger: plot needs the package gnuplot, which is not available: %s', gnuplot) end
      local torch = require 'torch'
      local curves = {}
      local function draw_column(key)
         local values = self.symbols[key]
         if not values then errors.raise('Logger: there is no column %s', errors.describe(key)) end
         if #values < 2 or type(values[1]) ~= 'number' then return end
         for _, style in ipairs(self.styles[key]) do
            curves[#curves + 1] = { self.names[key], torch.Tensor(values), style }
         end
      end
      if ... then
         for _, name in ipairs { ... } do draw_column(self.idx[name]) end
      else
         for key in key_order.pairs(self.symbols) do draw_column(key) end
      end
      if #curves == 0 then return end
      local function draw()
         if self.logscale then gnuplot.raw 'set logscale y' end
         if self.xlogscale then gnuplot.raw 'set logscale x' end
         gnuplot.plot(curves)
         gnuplot.grid 'on'
         gnuplot.title('<Logger::' .. self.name .. '>')
         if self.plotRawCmd then gnuplot.raw(self.plotRawCmd) end
      end
      if self.showPlot then
         self.figure = gnuplot.figure(self.figure)
         draw()
      end
      if self.epsfile then
         local figure = gnuplot.epsfigure(self.epsfile)
         draw()
         if gnuplot._replace then
            gnuplot._replace(figure)
         else
            -- A program's own package of this name.
            gnuplot.plotflush()
            gnuplot.close(figure)
         end
      end
   end
end
