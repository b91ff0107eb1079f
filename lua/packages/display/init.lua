-- display: images, plots and sounds on a page of the browser, which `t7 display` serves; in notebooks below the cell.

local accepted_options = require 'torch.base.accepted_options'
local check, torch = require 'torch.base.check', require 'torch'
local errors, host_calls = require 'torch.base.errors', require 'shell.host_calls'
local host = require('torch.native.host').of 'display'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local address_of = native.address_of
local concat, format, io = table.concat, string.format, io

local display = {}

local count = 0

-- The pane that the options name, or a new one, and its title.
local function pane_of(name, options)
   if options == nil then options = {} end
   check.kind(name, 'options', options, 'table')
   local win = options.win
   if win == nil then
      count = count + 1
      win = format('pane-%d', count)
   elseif type(win) ~= 'string' and type(win) ~= 'number' then
      check.argument_error(name, 'win', 'what an earlier call gave', win)
   end
   if options.title ~= nil then check.kind(name, 'title', options.title, 'string') end
   return tostring(win), options.title or '', options
end

-- configure{hostname = '127.0.0.1', port = 8000}: the address of the page.
function display.configure(options)
   check.kind('configure', 'options', options, 'table')
   for key in pairs(options) do
      if not accepted_options['display.configure'][key] then
         errors.raise("configure: options must be hostname and port (got '%s')", tostring(key))
      end
   end
   local port = options.port and check.integer('configure', 'port', options.port, 1) or 8000
   if port > 65535 then check.argument_error('configure', 'port', 'a number up to 65535', port) end
   local hostname = options.hostname or options.host or '127.0.0.1'
   host_calls.call('configure', host, 'configure', check.kind('configure', 'hostname', hostname, 'string'), port)
end

-- image(x [, {win=, title=, min=, max=, nrow=, padding=}]): a tensor, or a table of them side by side. Returns the
-- pane, which `win` takes to show the next one in it.
function display.image(x, options)
   local win, title, given = pane_of('image', options)
   if not torch.isTensor(x) and not (type(x) == 'table' and torch.isTensor(x[1])) then
      errors.raise('image: argument 1 must be a tensor or a table of tensors (got %s)', check.describe(x))
   end
   local arguments, picture = require 'image.arguments', require 'image.picture'
   local pixels = require('image').toDisplayTensor {
      input = x, padding = given.padding or 2, nrow = given.nrow, min = given.min, max = given.max,
      scaleeach = given.scaleeach, symm = given.symm,
   }
   pixels = pixels:type() == 'torch.ByteTensor' and pixels or pixels:float()
   local pixels_buffer = picture.to_pixels(pixels)
   io.flush()
   host_calls.call('image', host, 'page_image', win, title, address_of(pixels_buffer), arguments.sizes(pixels))
   buffers.keep_alive(pixels_buffer)
   return win
end

display.images = display.image

-- A table of rows, or a matrix, as a matrix of doubles.
local function matrix_of(name, data)
   if type(data) == 'table' and not torch.typename(data) then
      local width = type(data[1]) == 'table' and #data[1]
      if not width then check.argument_error(name, 'data', 'a table of rows', data) end
      for i, row in ipairs(data) do
         if type(row) ~= 'table' or #row ~= width then
            errors.raise('%s: rows must have %d numbers (got %s in row %d)', name, width,
               type(row) == 'table' and #row or check.describe(row), i)
         end
      end
      data = torch.DoubleTensor(data)
   end
   check.tensor(name, 'data', data)
   if data:dim() == 1 then data = torch.cat(torch.range(1, data:size(1)):double(), data:double(), 2) end
   if data:dim() ~= 2 or data:size(2) < 2 then
      check.argument_error(name, 'data', 'rows of x and one y or more', data)
   end
   return data:double():contiguous()
end

-- plot(data [, {win=, title=, labels=, xlabel=, ylabel=}]): curves over the first column of rows, or of a matrix.
function display.plot(data, options)
   local win, title, given = pane_of('plot', options)
   local x = matrix_of('plot', data)
   local labels = {}
   if given.labels ~= nil then check.kind('plot', 'labels', given.labels, 'table') end
   for i = 1, x:size(2) do labels[i] = given.labels and tostring(given.labels[i] or '') or '' end
   if given.xlabel then labels[1] = check.kind('plot', 'xlabel', given.xlabel, 'string') end
   local ylabel = given.ylabel and check.kind('plot', 'ylabel', given.ylabel, 'string') or ''
   io.flush()
   host_calls.call('plot', host, 'page_plot', win, title, address_of(x:data()), x:size(1), x:size(2),
      concat(labels, '\0'), ylabel)
   buffers.keep_alive(x)
   return win
end

-- audio(x [, {win=, title=, rate=}]): samples in -1 to 1, a vector, or a column for each channel.
function display.audio(x, options)
   local win, title, given = pane_of('audio', options)
   check.tensor('audio', 'samples', x)
   if x:dim() < 1 or x:dim() > 2 then
      check.argument_error('audio', 'samples', 'a vector, or a matrix of channels', x)
   end
   local rate = given.rate and check.integer('audio', 'rate', given.rate, 1) or 44100
   local samples = x:double():contiguous()
   io.flush()
   host_calls.call('audio', host, 'page_audio', win, title, address_of(samples:data()), x:size(1),
      x:dim() == 2 and x:size(2) or 1, rate)
   buffers.keep_alive(samples)
   return win
end

-- text(text [, {win=, title=}]): a pane of text.
function display.text(text, options)
   local win, title = pane_of('text', options)
   io.flush()
   host_calls.call('text', host, 'page_text', win, title, check.kind('text', 'text', text, 'string'))
   return win
end

-- close(win): takes a pane from the page.
function display.close(win)
   host_calls.call('close', host, 'page_close', tostring(win))
end

return setmetatable(display, { __call = function(_, ...) return display.image(...) end })
