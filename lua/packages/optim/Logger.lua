-- optim.Logger: writes columns of numbers to a file, and plots them.

local check, errors, paths = require 'torch.base.check', require 'torch.base.errors', require 'paths'

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
      for _, item in ipairs(items) do self.file:write(item, '\t') end
      self.file:write('\n')
      self.file:flush()
   end

   function Logger:setNames(names)
      check.kind('Logger:setNames', 'names', names, 'table')
      self.names = names
      self.empty = false
      self.nsymbols = #names
      for i, name in ipairs(names) do
         self.symbols[name], self.symbols[i] = {}, {}
         self.idx[name] = i
      end
      write(self, names)
      return self
   end

   -- A row: a list of numbers and strings, or a table of them by name.
   function Logger:add(symbols)
      check.kind('Logger:add', 'the row', symbols, 'table')
      if self.empty then
         local keys, names = {}, {}
         for key in pairs(symbols) do keys[#keys + 1] = key end
         table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
         for i, key in ipairs(keys) do names[i] = tostring(key) end
         self.keys = type(keys[1]) == 'string' and keys or nil
         self:setNames(names)
      end
      local row = {}
      local keys = self.keys
      if not keys and #symbols == 0 then keys = self.names end
      for i = 1, #self.names do
         local value = symbols[keys and keys[i] or i]
         if type(value) == 'number' then
            row[#row + 1] = string.format('%11.4e', value)
         elseif type(value) == 'string' then
            row[#row + 1] = value
         else
            errors.raise('Logger: values must be numbers and strings (got %s)', errors.describe(value))
         end
         local list = self.symbols[i]
         if list then list[#list + 1] = value end
         local named = self.symbols[self.names[i]]
         if named and named ~= list then named[#named + 1] = value end
      end
      write(self, row)
      return self
   end

   -- How columns are drawn: a string or a list of strings for each.
   function Logger:style(symbols)
      if type(symbols) ~= 'table' then check.kind('Logger:style', 'the style', symbols, 'string') end
      if type(symbols) == 'string' then
         for i = 1, #self.names do self.styles[i] = { symbols } end
      else
         for i, name in ipairs(self.names) do
            local style = symbols[i] or symbols[name]
            self.styles[i] = type(style) == 'table' and style or { style }
         end
      end
      return self
   end

   function Logger:setlogscale(state, axis)
      if type(state) == 'string' then state, axis = true, state end
      if axis == 'x' then self.xlogscale = state else self.logscale = state end
   end

   function Logger:display(state) self.showPlot = state end

   -- Draws all columns; the file beside the log is written too.
   function Logger:plot()
      local ok, gnuplot = pcall(require, 'gnuplot')
      if not ok then errors.raise('Logger: plot needs the package gnuplot, which is not available: %s', gnuplot) end
      local torch = require 'torch'
      local curves = {}
      for i, name in ipairs(self.names) do
         local values = self.symbols[i]
         if values and #values > 0 and type(values[1]) == 'number' then
            for _, style in ipairs(self.styles[i] or { self.defaultStyle }) do
               curves[#curves + 1] = { name, torch.Tensor(values), style }
            end
         end
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
         gnuplot.plotflush()
         gnuplot.close(figure)
      end
   end
end
