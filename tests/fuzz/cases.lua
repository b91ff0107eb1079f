-- What the lines of files of cases mean, as those of packages.tsv: kind, constructor, arguments of forward.

local cases = {}

-- Records use these names, see nn/module_records.py.
rawset(_G, 't', function(...)
   local x = torch.Tensor(...)
   return x:copy(torch.range(1, x:nElement()):mul(12.9898):sin():mul(2))
end)
rawset(_G, 'l', torch.LongTensor)

-- A class is one of nn unless its package is named, as in `cudnn.ReLU()`.
function cases.source(make) return 'return ' .. (make:find '^%l%w*%.%u' and '' or 'nn.') .. make end

function cases.maker(make) return assert(loadstring(cases.source(make))) end

-- Calls f(kind, constructor, arguments) for the lines of a file; `package <name> [<global>]` loads a package instead.
function cases.each(path, f)
   for line in io.lines(path) do
      local kind, first, second = line:match '^(%a+)\t([^\t]*)\t?([^\t]*)$'
      if kind == 'package' then
         rawset(_G, second ~= '' and second or first, require(first))
      else
         f(kind, first, second)
      end
   end
end

-- The same for the lines of modules and criterions.
function cases.each_module(path, f)
   cases.each(path, function(kind, ...)
      if kind ~= 'call' then f(kind, ...) end
   end)
end

-- Modules such as NCEModule print notices, which are no faults. Returns print for the lines of a script.
function cases.without_notices()
   local report = print
   rawset(_G, 'print', function() end)
   return report
end

return cases
