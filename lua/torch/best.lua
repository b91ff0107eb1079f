-- The k best of long rows, best first, in one pass: each element is compared with the worst kept. The kept ones
-- are local variables, in code that is made for each k.

local concat, loadstring = table.concat, loadstring

local best = {}

-- More would not stay in registers.
best.MOST = 8

-- f(x, v, p, rows, n): the k smallest, or largest, of rows x n elements at x, into v, with positions p.
function best.make(name, T, k, largest)
   local nan = ''
   if not T.integer then nan = largest and ' or value ~= value and $b == $b' or ' or $b ~= $b and value == value' end
   local better = (largest and 'value > $b' or 'value < $b') .. nan
   local names, writes = {}, {}
   for j = 1, k do
      names[j] = ('b%d, p%d'):format(j, j)
      writes[j] = ('v[%d], p[%d] = b%d, p%d'):format(j - 1, j - 1, j, j)
   end
   local text = ('b1, p1 = value, i + 1')
   for j = 2, k do
      text = ('if %s then b%d, p%d = b%d, p%d; %s else b%d, p%d = value, i + 1 end'):format(
         better:gsub('%$b', 'b' .. j - 1), j, j, j - 1, j - 1, text, j, j)
   end
   local source = ([[
return function(x, v, p, rows, n)
   for row = 0, rows - 1 do
      local $names
$start
      for i = $k, n - 1 do
         local value = x[i]
         if $worst then $insert end
      end
      $writes
      x, v, p = x + n, v + $k, p + $k
   end
end]])
   local start = {}
   for j = 1, k do
      -- While fewer than k are kept the next place is free.
      local chain = {}
      for m = 1, j - 1 do
         local shift = {}
         for q = j, m + 1, -1 do shift[#shift + 1] = ('b%d, p%d = b%d, p%d'):format(q, q, q - 1, q - 1) end
         shift[#shift + 1] = ('b%d, p%d = value, %d'):format(m, m, j)
         chain[m] = ('if %s then %s else'):format((better:gsub('%$b', 'b' .. m)), concat(shift, '; '))
      end
      start[j] = ('      do local value = x[%d]; %s b%d, p%d = value, %d %s end'):format(j - 1, concat(chain), j, j, j,
         j > 1 and 'end' or '')
   end
   source = source:gsub('%$(%w+)', { names = concat(names, ', '), k = k, start = concat(start, '\n'),
      worst = better:gsub('%$b', 'b' .. k), insert = text, writes = concat(writes, '; ') })
   return loadstring(source, '=t7 ' .. name)()
end

return best
