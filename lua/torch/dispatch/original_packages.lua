-- Packages of Torch7's time that a program brings in place of ours do not see the methods that the last Torch7 lacked
-- (`added` in rows): their objects may have methods of these names themselves, and first ask a tensor whether it has
-- them, as autograd's values do for `flatten`.

local find, getinfo, match = string.find, debug.getinfo, string.match
local errors, layers, loader = require 'torch.base.errors', require 'torch.dispatch.layers', require 'torch.jit.loader'
local lazy_table = require 'torch.jit.lazy_table'

local original_packages = {}

local folders = {}

-- Methods that were made before are looked up again when this layer comes.
local layer = { order = 0 }

-- Methods that only some callers may see are kept here, by type, not among the methods of the type.
local kept = {}
layers.watch(function() kept = {} end)

function original_packages.kept(T, name) return kept[T] and kept[T][name] end

function original_packages.keep(T, name, method)
   kept[T] = kept[T] or {}
   kept[T][name] = method
end

-- Tells whether the method of a row is visible only to some callers.
function original_packages.hides(row) return row.added and folders[1] ~= nil end

-- By source: whether it belongs to such a package; 'library' for ours and for C, whose callers decide.
local verdicts = lazy_table(function(source)
   local verdict = 'library'
   if source ~= '=[C]' and not errors.is_library(source) then
      verdict = false
      for i = 1, #folders do verdict = verdict or find(source, folders[i], 1, true) == 1 end
   end
   return verdict
end)

-- Packages that know nothing of tensors.
local OTHERS = { pl = true, cjson = true, lfs = true, md5 = true, mime = true }

function loader.replaced(file)
   local folder, name = match(file, '^(.*[/\\])init%.lua$'), match(file, '([^/\\]+)[/\\]init%.lua$')
   if not folder or OTHERS[name] then return end
   folders[#folders + 1] = '@' .. folder
   for source in next, verdicts do verdicts[source] = nil end
   layers.add(layer)
end

-- Tells whether such a package asks for a method: its files are the nearest caller outside of the library.
function original_packages.ask()
   local level = 3
   while true do
      local info = getinfo(level, 'S')
      if not info then return false end
      local verdict = verdicts[info.source]
      if verdict ~= 'library' then return verdict end
      level = level + 1
   end
end

return original_packages
