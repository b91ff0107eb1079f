-- gfx.js: the first interface for pictures and charts in a browser. They are shown as other pictures are.

local torch = require 'torch'
local check = require 'torch.base.check'

local gfx = {}

-- image(x or list of them, {zoom=, legend=, legends=, min=, max=, win=}): returns the window, which `win` takes.
function gfx.image(x, options)
   options = check.kind('gfx.image', 'options', options or {}, 'table')
   if type(x) ~= 'table' then check.tensor('gfx.image', 'image', x) end
   local settings = { image = x }
   for name, value in pairs(options) do
      if name ~= 'refresh' and name ~= 'legends' then settings[name] = value end
   end
   return require('image').display(settings)
end

-- Values as a tensor; points may be tables { x=, y= }.
local function tensor_of(values)
   if torch.isTensor(values) then return values end
   check.kind('gfx.chart', 'data', values, 'table')
   local rows = {}
   for i, value in ipairs(values) do
      rows[i] = type(value) == 'table' and value.x ~= nil and { value.x, value.y } or value
   end
   return torch.Tensor(rows)
end

-- chart(data, {chart='line' | 'scatter' | 'bar'}): data is a tensor of y, or of rows of x and y, a table of such, or a
-- list of { key=, values= }.
function gfx.chart(data, options)
   options = check.kind('gfx.chart', 'options', options or {}, 'table')
   local kind = check.one_of('gfx.chart', 'chart', options.chart or 'line', { 'line', 'scatter', 'bar', 'stacked',
      'multibar' })
   local format = kind == 'line' and '-' or kind == 'scatter' and '+' or '|'
   local series = {}
   local function add(name, values)
      local t = tensor_of(values)
      check.dimensions('gfx.chart', 'data', t, 1, 2)
      if t:dim() == 1 then
         series[#series + 1] = { name, t, format }
      elseif t:size(2) == 2 then
         series[#series + 1] = { name, t:select(2, 1), t:select(2, 2), format }
      else
         check.argument_error('gfx.chart', 'data', 'a tensor of y, or of rows of x and y', t)
      end
   end
   if type(data) == 'table' and type(data[1]) == 'table' and data[1].values then
      for i, entry in ipairs(data) do add(entry.key or 'data ' .. i, entry.values) end
   else
      add(options.key or 'data', data)
   end
   local gnuplot = require 'gnuplot'
   gnuplot.plot(series)
   return series
end

gfx.line = gfx.chart

-- There is no server, and nothing to clear.
for _, name in ipairs { 'startserver', 'stopserver', 'clear', 'show', 'redraw' } do gfx[name] = function() end end

return gfx
