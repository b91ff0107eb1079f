-- torch.dialect, and the layers that are loaded when they are first used: those of dialects and of dimension names.

local check, dialect = require 'torch.base.check', require 'torch.base.dialect'
local dimension_names, geometry = require 'torch.base.dimension_names', require 'torch.base.geometry'
local layers = require 'torch.dispatch.layers'

local dialects = {}

-- The layers of modern and th are loaded when they are first used.
local modern, th_names
local function follow(torch)
   if dialect.name == 'th' then
      th_names = th_names or require 'torch.features.th_names'
      th_names.enter(torch)
   elseif th_names then
      th_names.leave(torch)
   end
   if dialect.name == 'modern' then
      modern = modern or require 'torch.features.modern'
      layers.add(modern)
   elseif modern then
      layers.remove(modern)
   end
end

function dialects.install(torch)
   -- torch.dialect([name]): the name of the dialect, after it was set if one is given.
   function torch.dialect(name)
      if type(name) ~= 'nil' then
         check.one_of('dialect', 'argument 1', name, dialect.names)
         if name == 'torch5' and not geometry.columns then
            check.fail('dialect', "torch5 lays out memory from the start: begin with t7 --dialect torch5")
         end
         dialect.set(name)
      end
      return dialect.name
   end

   if geometry.columns then require('torch.features.torch5').install(torch) end
   dimension_names.watch(function() layers.add(require 'torch.features.dimension_names.names_layer') end)
   dialect.watch(function() follow(torch) end)
   follow(torch)
end

return dialects
