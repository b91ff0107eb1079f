-- Figures and their settings.

local check = require 'torch.base.check'
local session = require 'gnuplot.session'
local fail = check.fail

local aspects = { 'auto', 'image', 'equal', 'fill' }

local function number_of(name, number)
   if number == nil then return nil end
   return check.integer(name, 'figure', number, 1)
end

local function limit(value)
   if value == '' or value == nil then return nil end
   return tonumber(value) or fail('axis', "limits must be numbers or '' (got %s)", check.describe(value))
end

return function(gnuplot)
   -- figure([n]): makes figure n the current one, or a new one; returns its number.
   function gnuplot.figure(number) return session.call('figure', 'figure', number_of('figure', number)) end

   for name, form in pairs { pngfigure = 'png', svgfigure = 'svg', epsfigure = 'eps', pdffigure = 'pdf' } do
      -- pngfigure(path): later plots are written there; complete after plotflush.
      gnuplot[name] = function(path)
         check.kind(name, 'path', path, 'string')
         return session.call(name, 'file_figure', path, form)
      end
   end

   function gnuplot.figprint(path)
      check.kind('figprint', 'path', path, 'string')
      session.call('figprint', 'print_figure', path)
   end

   function gnuplot.plotflush(number) session.call('plotflush', 'flush', number_of('plotflush', number)) end
   function gnuplot.close(number) session.call('close', 'close', number_of('close', number)) end
   -- Closes a figure of a file, which is written later where a loop writes it again and again.
   function gnuplot._replace(number) session.call('close', 'replace', number) end
   function gnuplot.closeall() session.call('closeall', 'close_all') end

   function gnuplot.title(text)
      session.call('title', 'setting', 'title', check.kind('title', 'text', text, 'string'))
   end

   for _, axis in pairs { 'x', 'y', 'z' } do
      local name = axis .. 'label'
      gnuplot[name] = function(text)
         session.call(name, 'setting', 'labels', axis, check.kind(name, 'text', text, 'string'))
      end
   end

   function gnuplot.grid(on)
      if on == nil then on = true end
      session.call('grid', 'setting', 'grid', on == true or on == 'on')
   end

   -- movelegend(across, down): 'left', 'right' or 'center'; 'top', 'bottom' or 'middle'.
   function gnuplot.movelegend(across, down)
      check.one_of('movelegend', 'argument 1', across, { 'left', 'right', 'center' })
      check.one_of('movelegend', 'argument 2', down, { 'top', 'bottom', 'middle' })
      session.call('movelegend', 'setting', 'place', across, down)
   end

   -- axis(word) or axis{xmin, xmax, ymin, ymax}, with '' for unchanged limits.
   function gnuplot.axis(limits)
      if type(limits) == 'string' then
         return session.call('axis', 'setting', 'aspect', check.one_of('axis', 'argument 1', limits, aspects))
      end
      check.kind('axis', 'argument 1', limits, 'table')
      for i, axis in pairs { 'x', 'y', 'z' } do
         local low, high = limit(limits[2 * i - 1]), limit(limits[2 * i])
         if low or high then session.call('axis', 'setting', 'ranges', axis, low, high) end
      end
   end

   -- logscale(axes [, on]): 'x', 'y', 'z' or several.
   function gnuplot.logscale(axes, on)
      check.kind('logscale', 'argument 1', axes, 'string')
      on = on ~= false and on ~= 'off'
      if string.match(axes, '[^xyz]') or axes == '' then
         fail('logscale', "axes must be of 'x', 'y' and 'z' (got '%s')", axes)
      end
      for axis in string.gmatch(axes, '.') do session.call('logscale', 'setting', 'log', axis, on) end
   end

   -- raw(text): commands of gnuplot.
   function gnuplot.raw(text)
      session.call('raw', 'raw', check.kind('raw', 'commands', text, 'string'))
   end

   -- Terminals and programs of gnuplot are not needed; --show says where plots appear.
   function gnuplot.setterm(name) check.kind('setterm', 'terminal', name, 'string') end
   function gnuplot.setgnuplotexe(path) check.kind('setgnuplotexe', 'path', path, 'string') end
end
