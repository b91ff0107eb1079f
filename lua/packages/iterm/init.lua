-- iterm: pictures in the terminal. They appear where pictures do: in terminals that can show them, and elsewhere as
-- windows or files.

local torch = require 'torch'
local check = require 'torch.base.check'

local iterm = {}
rawset(_G, 'iterm', iterm)

-- image(tensor, list of tensors or path [, zoom or options of image.display]).
function iterm.image(picture, options)
   local image = require 'image'
   if type(picture) == 'string' then picture = image.load(picture) end
   if not torch.isTensor(picture) and type(picture) ~= 'table' then
      check.argument_error('iterm.image', 'argument 1', 'a tensor, a list of tensors or a path', picture)
   end
   local settings = { image = picture }
   if type(options) == 'number' then settings.zoom = options end
   for name, value in pairs(type(options) == 'table' and options or {}) do settings[name] = value end
   return image.display(settings)
end

-- dot(graph [, title, file]), or dot(graph, file): a graph.Graph, or a network of nngraph, as a picture. A file that is
-- no PNG is only written. Without Graphviz graph.dot says so and writes the text of the graph, whose path is returned.
function iterm.dot(g, title, path)
   local graph = require 'graph'
   if not path and type(title) == 'string' and string.find(title, '%.%a+$') then title, path = nil, title end
   local file = path or os.tmpname() .. '.png'
   local drawn = graph.dot(type(g) == 'table' and g.fg or g, title, file)
   if drawn ~= file or not string.find(file, '%.png$') then return drawn end
   return iterm.image(file)
end

return iterm
