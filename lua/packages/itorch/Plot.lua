-- itorch.Plot: plots whose methods return the plot, so that they can be chained.

local check, torch = require 'torch.base.check', require 'torch'
local evaluate, host_calls = require 'shell.evaluate', require 'shell.host_calls'
local host = require('torch.native.host').of 'itorch'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local address_of = native.address_of

local Plot = {}
Plot.__index = Plot

-- Numbers as a vector: a tensor or a table of them.
local function vector_of(name, what, value)
   if type(value) == 'table' and not torch.typename(value) then value = torch.DoubleTensor(value) end
   check.tensor(name, what, value)
   if value:nElement() == 0 then check.argument_error(name, what, 'a tensor with elements', value) end
   return value:double():contiguous():view(-1)
end

local function add(plot, name, kind, columns, color, legend)
   if color ~= nil then check.kind(name, 'color', color, 'string') end
   if legend ~= nil then check.kind(name, 'legend', legend, 'string') end
   local count
   local vectors = {}
   for i, column in ipairs(columns) do
      local x = vector_of(name, 'argument ' .. i, column)
      count = count or x:size(1)
      if x:size(1) ~= count then
         check.fail(name, 'columns must have the same number of elements (got %d and %d)', count, x:size(1))
      end
      vectors[i] = x
   end
   for _, x in ipairs(vectors) do
      host_calls.call(name, host, 'column', address_of(x:data()), count)
      buffers.keep_alive(x)
   end
   host_calls.call(name, host, 'add', plot.number, kind, color or 'blue', legend or '')
   return plot
end

for name, count in pairs { line = 2, circle = 2, triangle = 2, segment = 4, quad = 4 } do
   Plot[name] = function(self, a, b, c, d, e, f)
      local missing = count == 2 and { a or false, b or false } or { a or false, b or false, c or false, d or false }
      for i, column in ipairs(missing) do
         if not column then check.argument_error(name, 'argument ' .. i, 'a tensor', nil) end
      end
      if count == 2 then return add(self, name, name, { a, b }, c, d) end
      return add(self, name, name, { a, b, c, d }, e, f)
   end
end

-- histogram(x [, bins [, min, max, color, legend]]): the counts of values as bars.
function Plot:histogram(x, bins, low, high, color, legend)
   x = vector_of('histogram', 'argument 1', x)
   bins = bins == nil and math.min(x:size(1), 20) or check.integer('histogram', 'bins', bins, 1)
   low, high = low or x:min(), high or x:max()
   if low == high then low, high = low - 0.5, high + 0.5 end
   local counts = torch.histc(x, bins, low, high)
   local left = torch.range(0, bins - 1, 'torch.DoubleTensor'):mul((high - low) / bins):add(low)
   local right = torch.add(left, (high - low) / bins)
   return add(self, 'histogram', 'quad', { left, counts:clone():zero(), right, counts }, color, legend)
end

local function set(name, kind)
   Plot[name] = function(self, value)
      if name == 'legend' then
         if value == nil then value = true end
      else
         check.kind(name, 'argument 1', value, kind)
      end
      host_calls.call(name, host, 'set', self.number, name, value)
      return self
   end
end

set('title', 'string')
set('xaxis', 'string')
set('yaxis', 'string')
set('legend', 'boolean')

function Plot:draw()
   host_calls.call('draw', host, 'draw', self.number)
   evaluate.has_shown(self)
   return self
end

Plot.redraw = Plot.draw

-- save(path): a page of HTML, or a picture where the name ends in .png, .svg, ...
function Plot:save(path)
   host_calls.call('save', host, 'save', self.number, check.kind('save', 'path', path, 'string'))
   evaluate.has_shown(self)
   return self
end

function Plot:html() return host_calls.call('html', host, 'html', self.number) end

Plot.__tostring = function() return 'itorch.Plot' end

local function new() return setmetatable({ number = host_calls.call('Plot', host, 'new_plot') }, Plot) end

return setmetatable({ new = new }, { __call = new })
