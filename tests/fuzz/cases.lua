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

-- The line `package <name> [<global>]`.
function cases.load_package(name, global) rawset(_G, global ~= '' and global or name, require(name)) end

-- Modules such as NCEModule print notices, which are no faults. Returns print for the lines of a script.
function cases.without_notices()
   local report = print
   rawset(_G, 'print', function() end)
   return report
end

return cases
