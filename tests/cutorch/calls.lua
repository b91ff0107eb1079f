-- Calls every operation with arguments of many kinds, right and wrong, on tensors of a device type, and prints the
-- results and errors, which are the same on each backend. The argument is the type's name.

require 'cutorch'
local install = require 'torch.dispatch.install'

local kind = ...
local names, random = {}, {}
for name in ([[rand randn random uniform normal bernoulli exponential cauchy logNormal geometric randperm multinomial
   multinomialAlias_ multinomialAliasSetup_]]):gmatch '%S+' do
   random[name] = true
end
for name in pairs(install.by_name.torch.chapter_of) do
   if not random[name] then names[#names + 1] = name end
end
table.sort(names)

local function t(...)
   local x = torch.DoubleTensor(...)
   return x:copy(torch.range(1, x:nElement()):mul(0.37):sin():mul(3):round():abs():add(1)):type(kind)
end

local function lists()
   local A, v, empty = t(3, 3), t(3), torch.DoubleTensor():type(kind)
   return {
      { A }, { A, A }, { A, 2 }, { A, -1.5 }, { A, A, A }, { A, 1 }, { A, 1, true }, { A, 1, false }, { A, 2, A },
      { v, A }, { A, v }, { v, v }, { A, 0 }, { A, 1 / 0 }, { A, 0 / 0 }, { A, 2, 3 }, { A, 3, 2 }, { A, empty },
      { empty }, { empty, empty }, { A, 'x' }, { A, 1e300 }, { A, 5 }, { A, 1, torch.LongTensor{ 1, 2 } },
      { A, 1, torch.LongTensor{ 0, 9 } }, { A, 1, torch.CudaLongTensor{ 3, 1 } },
      { A, 1, torch.CudaLongTensor{ 0, 9 } }, { v, 1, v }, { { A, A } }, { { A, A }, 1 }, { { A, v }, 1 },
      { t(2, 3, 3), t(2, 3, 3) }, { A:t(), A },
      { A[1], v }, { A:select(2, 1), v }, { t(2, 2, 2, 2, 2), 5 }, { A:narrow(1, 1, 1):expand(3, 3) },
      { A:narrow(1, 1, 1):expand(3, 3), 2 }, { 2, A }, { A, 2, 2, A, A }, { v:view(1, 3):expand(3, 3), A }, { t(1) },
      { A, A, 2 }, { A, torch.FloatTensor(3, 3):fill(1) }, { A, A:gt(2), 5 }, { A, A:gt(2), v },
      { A, t(3, 3):type 'torch.CudaByteTensor', 5 },
   }
end

local function text_of(x)
   if type(x) == 'number' then return (('%.4g'):format(x):gsub('-nan', 'nan')) end
   if not torch.isTensor(x) then return type(x) end
   if x:dim() == 0 then return x:type() end
   local d = x:double():contiguous():view(-1):totable()
   for i = 1, #d do
      -- Rounding errors of sums that are zero.
      if math.abs(d[i]) < 1e-7 then d[i] = 0 end
      d[i] = ('%.3g'):format(d[i]):gsub('^%-0$', '0'):gsub('-nan', 'nan')
   end
   return x:type() .. table.concat(x:size():totable(), 'x') .. ':' .. table.concat(d, ' ')
end

for _, name in ipairs(names) do
   for i = 1, #lists() do
      for _, way in ipairs { 'function', 'method' } do
         local a = lists()[i]
         local f = way == 'function' and torch[name] or torch.isTensor(a[1]) and a[1][name]
         if f then
            local results = { pcall(f, unpack(a)) }
            local parts = { name, way, i }
            for k = 1, #results do
               parts[#parts + 1] = k == 2 and not results[1] and results[2] or text_of(results[k])
            end
            if results[1] then parts[#parts + 1] = text_of(a[1]) end
            print(table.concat(parts, ' '))
         end
      end
   end
end
