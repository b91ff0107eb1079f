-- Packages of Torch7's time that a program brings in place of ours do not see the methods that the last Torch7 lacked
-- (`added` in rows): their objects may have own ones of these names, and ask a tensor first whether it has them, as
-- autograd's values do for `flatten`.

local find, getinfo, match = string.find, debug.getinfo, string.match
local errors, layers, loader = require 'torch.base.errors', require 'torch.dispatch.layers', require 'torch.jit.loader'

local original_packages = {}

local folders = {}

-- Methods that were made before are looked up again when this layer comes.
local layer = { order = 0 }

function loader.replaced(file)
   local folder = match(file, '^(.*[/\\])init%.lua$')
   if not folder then return end
   folders[#folders + 1] = '@' .. folder
   layers.add(layer)
end

-- Tells whether the method of a row is only there for those who may see it.
function original_packages.hides(row) return row.added and folders[1] ~= nil end

-- Tells whether such a package asks for a method: its files are the nearest caller outside of the library.
function original_packages.ask()
   local level = 2
   while true do
      local info = getinfo(level, 'Sl')
      if not info then return false end
      if info.currentline > 0 and not errors.is_library(info.source) then
         for i = 1, #folders do
            if find(info.source, folders[i], 1, true) == 1 then return true end
         end
         return false
      end
      level = level + 1
   end
end

return original_packages
