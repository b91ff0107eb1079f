-- torch.dialect, and what of the operations follows the dialect.

local require, type = require, type
local check, dialect = require 'torch.core.check', require 'torch.core.dialect'
local geometry, layers = require 'torch.core.geometry', require 'torch.dispatch.layers'

local dialects = {}

-- The layer of the dialect modern is loaded when it is first used.
local modern
local function follow()
   if dialect.name == 'modern' then
      modern = modern or require 'torch.dispatch.modern'
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

   if geometry.columns then require('torch.dispatch.torch5').install(torch) end
   dialect.watch(follow)
   follow()
end

return dialects
