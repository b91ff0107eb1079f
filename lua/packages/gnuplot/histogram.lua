-- gnuplot.hist, histc and bar.

local check, torch = require 'torch.base.check', require 'torch'
local fail = check.fail

local shown = { __tostring = function(h)
   local lines = {}
   for i = 1, h.bins do lines[i] = string.format('%g: %g', h[i].val, h[i].nb) end
   return table.concat(lines, '\n')
end }

-- Counts of the values of x in `bins` ranges of equal width from `low` to `high`.
local function histc(name, x, bins, low, high)
   check.tensor(name, 'argument 1', x)
   if x:nElement() == 0 then fail(name, 'tensor must have elements (got %s)', check.describe(x)) end
   bins = bins == nil and math.min(x:nElement(), 100) or check.integer(name, 'bins', bins, 1)
   x = x:double():contiguous():view(-1)
   low = low == nil and x:min() or check.number(name, 'min', low)
   high = high == nil and x:max() or check.number(name, 'max', high)
   if high == low then low, high = low - 0.5, high + 0.5 end
   if not (high > low) then fail(name, 'max must be > min (got %g and %g)', high, low) end
   local counts = torch.histc(x, bins, low, high)
   local width = (high - low) / bins
   local h = { raw = counts, min = low, max = high, bins = bins, binwidth = width }
   for i = 1, bins do h[i] = { nb = counts[i], val = low + (i - 0.5) * width } end
   return setmetatable(h, shown)
end

return function(gnuplot)
   -- histc(x [, bins [, min [, max]]]): a table of {val = middle, nb = count}, with raw, min, max, bins and binwidth.
   function gnuplot.histc(x, bins, low, high) return histc('histc', x, bins, low, high) end

   -- hist(x [, bins [, min [, max]]]): the counts as boxes.
   function gnuplot.hist(x, bins, low, high)
      local h = histc('hist', x, bins, low, high)
      local middles = torch.DoubleTensor(h.bins)
      for i = 1, h.bins do middles[i] = h[i].val end
      gnuplot.plot(middles, h.raw, '|')
   end

   -- bar(y [, bins, min, max]): y as boxes, over the points from min to max if they are given; bar(x, y): over x.
   function gnuplot.bar(y, bins, low, high)
      check.tensor('bar', 'argument 1', y)
      if torch.isTensor(bins) then return gnuplot.plot(y, bins, '|') end
      if bins == nil then return gnuplot.plot(y, '|') end
      bins = check.integer('bar', 'bins', bins, 1)
      low, high = check.number('bar', 'min', low or 1), check.number('bar', 'max', high or bins)
      gnuplot.plot(torch.linspace(low, high, bins), y, '|')
   end
end
