-- The layer of the dialect th hides names that the last Torch7 lacked (`added` in rows), for programs that probe for
-- them.

local install, layers = require 'torch.dispatch.install', require 'torch.dispatch.layers'

local undefined_operators = require 'torch.tensor.undefined_operators'

local th_names = { order = 100 }

-- Added methods without a row, which are functions of torch as well.
local ADDED = { unsqueeze = true }

local ARITHMETIC = { __add = true, __sub = true, __mul = true, __div = true, __mod = true, __pow = true, __unm = true }

-- The operations and methods that HalfTensors had.
local HALF = {}
for name in string.gmatch([[abs add all byte cdata char chunk clone contiguous copy data dim double elementSize expand
   expandAs fill float free half int isContiguous isSameSizeAs isSetTo isSize isTensor long max
   mean nDimension nElement narrow new permute read real repeatTensor reshape resize resizeAs
   retain select set short size split storage storageOffset stride sub t totable transpose type
   typeAs unfold view viewAs write]], '%w+') do
   HALF[name] = true
end

function th_names.has(_, T, row)
   if row.package.name ~= 'torch' then return true end
   return not row.added and (T.name ~= 'Half' or HALF[row[1]] == true)
end

function th_names.method(f, T, name)
   if ADDED[name] or T.name == 'Half' and not HALF[name] and not string.find(name, '^__') then return nil end
   return f
end

local taken = {}      -- functions that were taken out of torch

local without = {}
undefined_operators.add(without)

function th_names.operator(f, T, event)
   return T.name == 'Half' and ARITHMETIC[event] and without[event] or f
end

function th_names.enter(torch)
   layers.add(th_names)
   local names = { next(ADDED) }
   for name in next, install.by_name.torch.chapter_of do
      if install.row(name).added then names[#names + 1] = name end
   end
   for _, name in ipairs(names) do taken[name], torch[name] = rawget(torch, name), nil end
end

function th_names.leave(torch)
   for name, f in next, taken do
      if rawget(torch, name) == nil then torch[name] = f end
      taken[name] = nil
   end
   layers.remove(th_names)
end

return th_names
