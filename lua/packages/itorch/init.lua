-- itorch: what notebooks of iTorch show. In a notebook it appears below the cell, elsewhere where pictures do.

local check, torch = require 'torch.base.check', require 'torch'
local host = require('torch.native.host').of 'itorch'
local errors = require 'torch.base.errors'
local host_calls = require 'shell.host_calls'

local itorch = {}

local function show_file(name, path, kind)
   check.kind(name, 'path', path, 'string')
   host_calls.call(name, host, 'show_file', path, kind)
end

-- image(x), for a tensor, a table of tensors, or the path of a file.
function itorch.image(x, options)
   if type(x) == 'string' then return show_file('image', x, 'image') end
   if not torch.isTensor(x) and type(x) ~= 'table' then
      errors.raise('image: argument 1 must be a tensor, a table of tensors or a path (got %s)', check.describe(x))
   end
   local p = { image = x, padding = 2 }
   if type(options) == 'table' then
      for key, value in pairs(options) do p[key] = value end
   end
   require('image').display(p)
end

function itorch.html(text)
   host_calls.call('html', host, 'show_html', check.kind('html', 'text', text, 'string'))
end

-- svg(text) or svg(path).
function itorch.svg(text)
   check.kind('svg', 'text', text, 'string')
   if string.find(text, '<svg', 1, true) then return itorch.html(text) end
   show_file('svg', text, 'svg')
end

function itorch.audio(path) show_file('audio', path, 'audio') end
function itorch.video(path) show_file('video', path, 'video') end
function itorch.lena() return require('image').lena() end

_G.itorch = itorch

return setmetatable(itorch, { __index = function(t, key)
   if key == 'Plot' then
      t.Plot = require 'itorch.Plot'
      return t.Plot
   end
end })
