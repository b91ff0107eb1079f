-- Operations along a dimension, compared with along.py: prints name, tab, microseconds, the least of many.
--
--    t7 along.lua [part of a name]

require 'torch'
torch.manualSeed(1)

local time = require('measuring').time

local part = arg and arg[1] or ''
local BUDGET = 0.05

local works = {
   { 'cumsum', function(x, d, t) torch.cumsum(t.to, x, d) end },
   { 'cumprod', function(x, d, t) torch.cumprod(t.to, x, d) end },
   { 'gather', function(x, d, t) x:gather(d, t.places) end },
   { 'scatter', function(_, d, t) t.to:scatter(d, t.places, t.other) end },
   { 'scatter of a number', function(_, d, t) t.to:scatter(d, t.places, 1) end },
   { 'index', function(x, d, t) x:index(d, t.half) end },
   { 'indexCopy', function(_, d, t) t.to:indexCopy(d, t.half, t.slices) end },
   { 'indexAdd', function(_, d, t) t.to:indexAdd(d, t.half, t.slices) end },
   { 'indexFill', function(_, d, t) t.to:indexFill(d, t.half, 1) end },
   { 'sum', function(x, d) x:sum(d) end },
   { 'std', function(x, d) x:std(d) end },
   { 'norm', function(x, d) x:norm(2, d) end },
   { 'max', function(x, d) x:max(d) end },
   { 'sort', function(x, d) x:sort(d) end },
   { 'topk', function(x, d) x:topk(3, d, true, true) end },
   { 'median', function(x, d) x:median(d) end },
   { 'kthvalue', function(x, d, t) x:kthvalue(t.third, d) end },
   { 'mode', function(x, d) x:mode(d) end },
   { 'renorm', function(x, d) x:renorm(2, d, 1) end },
   { 'cat', function(x, d, t) torch.cat(x, t.other, d) end },
}

local function rows(kind, rows_, columns)
   local T = torch[kind .. 'Tensor']
   local x, other, to = T(rows_, columns):uniform(), T(rows_, columns):uniform(), T(rows_, columns):zero()
   for d = 1, 2 do
      local n = x:size(d)
      local half = torch.randperm(n):long():narrow(1, 1, math.floor(n / 2)):clone()
      local tools = { to = to, other = other, half = half, slices = x:index(d, half), third = math.floor(n / 3),
         places = torch.LongTensor(rows_, columns):random(1, n) }
      for _, work in ipairs(works) do
         local name = ('%s along %d of %dx%d %s'):format(work[1], d, rows_, columns, kind)
         if name:find(part, 1, true) then
            collectgarbage()
            time(name, function() work[2](x, d, tools) end, BUDGET)
         end
      end
   end
   for _, name in ipairs { 'uniform', 'normal', 'tril' } do
      local work = name == 'tril' and function() torch.tril(x) end or function() to[name](to) end
      local whole = ('%s of %dx%d %s'):format(name, rows_, columns, kind)
      if whole:find(part, 1, true) then time(whole, work, BUDGET) end
   end
end

for _, kind in ipairs { 'Float', 'Double' } do
   for _, size in ipairs { { 32, 32 }, { 128, 1000 }, { 1000, 1000 } } do rows(kind, unpack(size)) end
end
