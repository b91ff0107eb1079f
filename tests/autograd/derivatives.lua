-- Compares the gradients of every row of derivatives/ with differences, in double precision, and those of the gradients
-- again. Prints what is wrong, and the rows that were checked; `derivatives.lua NAME` only those of an operation.

local grad = require 'autograd'
local records = require 'autograd.records'
local install = require 'torch.dispatch.install'

local only = arg[1]
torch.manualSeed(1)

local function T(...) return torch.DoubleTensor(...):uniform(0.5, 1.5) end
local function L(t) return torch.LongTensor(t) end
local function symmetric() return torch.DoubleTensor { { 4, 1, 0.5 }, { 1, 3, 0.7 }, { 0.5, 0.7, 5 } } end
local function factor(triangle)
   local m = torch.potrf(symmetric(), triangle or 'U')
   return m
end
local mask = torch.ByteTensor { { 1, 0 }, { 0, 1 }, { 1, 1 } }

-- Arguments of the cases by their names, where not those of `default`.
local square = { x = function() return T(3, 3):add(torch.eye(3):mul(2)) end, y = function() return T(3, 3) end }
local vectors = { x = function() return T(3) end, y = function() return T(3) end }
local line = { x = function() return T(4, 3) end, index = function() return L { 3, 1, 1 } end, d = 1, y = function()
   return T(3, 3) end }
local batches = { x = function() return T(2, 4) end, y = function() return T(3, 2, 3) end,
   z = function() return T(3, 3, 4) end }
local unlike = { x = function() return torch.DoubleTensor { { 3, 1 }, { 2, 5 }, { 4, 0.5 } } end, b = true, n = 2,
   d = 1 }
local images = { x = function() return T(5, 6) end, y = function() return T(2, 3) end }
local volumes = { x = function() return T(3, 4, 4) end, y = function() return T(2, 2, 2) end }
local arguments = {
   asin = { x = function() return T(3, 2):mul(0.5) end, v = 0.3 }, acos = { x = function() return T(3, 2):mul(0.5) end,
      v = 0.3 },
   remainder = { x = function() return T(3, 2):mul(5) end, v = 1.3 }, fmod = { x = function() return T(3, 2):mul(5) end,
      v = 1.3 }, mod = { x = function() return T(3, 2):mul(5) end, v = 1.3 },
   range = { v = 1, u = 5.2, w = 1.5 }, arange = { v = 1, u = 5.2, w = 1.5 },
   linspace = { v = 1, u = 3, n = 5 }, logspace = { v = 0.1, u = 0.5, n = 4 },
   diag = { x = function() return T(3, 4) end }, tril = square, triu = square,
   clamp = { v = 0.8, u = 1.2 },
   stack = { d = 2 }, cat = { d = 1 },
   max = unlike, min = unlike, sort = unlike, topk = unlike, kthvalue = unlike, median = unlike, mode = unlike,
   trace = square, norm = { v = 3, d = 1 }, dist = { v = 3, y = function() return T(3, 2):add(2) end },
   match = { y = function() return T(4, 2) end }, renorm = { v = 2, d = 1, u = 1.4 },
   cross = { x = function() return T(2, 3) end, y = function() return T(2, 3) end, d = 2 },
   index = line, indexCopy = { x = line.x, y = function() return T(2, 3) end, index = function() return L { 3, 1 } end,
      d = 1 }, indexAdd = line, indexFill = line,
   gather = { index = function() return L { { 2, 2 }, { 1, 1 }, { 1, 2 } } end, d = 2 },
   scatter = { index = function() return L { { 2 }, { 1 }, { 2 } } end, d = 2, y = function() return T(3, 2) end },
   maskedCopy = { y = function() return T(5) end },
   dot = vectors, mv = { x = function() return T(4, 3) end, y = vectors.y },
   mm = { x = function() return T(4, 3) end, y = function() return T(3, 2) end },
   bmm = { x = function() return T(2, 4, 3) end, y = function() return T(2, 3, 2) end },
   ger = { x = vectors.x, y = function() return T(2) end },
   addmv = { x = vectors.x, y = function() return T(3, 4) end, z = function() return T(4) end },
   addmm = { x = function() return T(2, 4) end, y = function() return T(2, 3) end, z = function() return T(3, 4) end },
   addr = { x = function() return T(2, 4) end, y = function() return T(2) end, z = function() return T(4) end },
   addbmm = batches, baddbmm = { x = function() return T(3, 2, 4) end, y = batches.y, z = batches.z },
   inverse = square, gesv = { x = function() return T(3, 2) end, y = square.x },
   trtrs = { x = function() return T(3, 2) end, y = square.x, s = 'L', s2 = 'T', s3 = 'U' },
   potrf = { x = symmetric, s = 'L' }, potrs = { x = function() return T(3, 2) end, y = factor, s = 'U' },
   potri = { x = factor, s = 'U' }, pstrf = { x = symmetric, s = 'U', v = -1 },
   symeig = { x = symmetric, s = 'N', s2 = 'L' }, svd = { x = function() return T(4, 3) end, s = 'S' },
   qr = { x = function() return T(4, 3) end },
   conv2 = images, xcorr2 = images, conv3 = volumes, xcorr3 = volumes,
   select = { all = { 1, 2 } }, narrow = { all = { 1, 2, 2 } }, sub = { all = { 2, 3, 1, 1 } },
   transpose = { all = { 1, 2 } }, permute = { all = { 2, 1 } }, view = { all = { 2, -1 } },
   viewAs = { all = { torch.DoubleTensor(6) } }, reshape = { all = { 6 } }, unsqueeze = { all = { 1 } },
   squeeze = { x = function() return T(3, 1, 2) end }, expand = { x = function() return T(3, 1) end, all = { 3, 4 } },
   expandAs = { x = function() return T(3, 1) end, all = { torch.DoubleTensor(3, 2) } },
   repeatTensor = { all = { 2, 1, 3 } }, unfold = { x = function() return T(5, 2) end, d = 1, n = 3, n2 = 1 },
   type = { s = 'torch.DoubleTensor' }, ['autograd.place'] = { x = function() return T(2) end, s = 'select',
      list = { 1, 2 } }, ['autograd.overwrite'] = { y = function() return T(2) end, s = 'select', list = { 1, 2 } },
   ['autograd.pick'] = { all = { 2 } }, ['autograd.scatter_add'] = { x = function() return T(3, 1) end,
      y = function() return T(3, 4) end, d = 2, index = function() return L { { 2 }, { 1 }, { 2 } } end },
   ['autograd.sum_to'] = { y = function() return T(1, 2) end }, ['autograd.vector'] = { list = { 1, 2, 3 } },
   ['autograd.put'] = { n = 2, x = function() return T(4, 2) end, y = function() return T(2) end,
      list = { 2 }, mask = function() return torch.ByteTensor(4, 2):zero():fill(0):copy(
         torch.Tensor { 1, 0, 0, 1, 0, 0, 0, 0 }) end, sizes = function() return torch.LongStorage { 2, 1 } end },
   refineNames = { all = { 'a', 'b' } }, setNames = { all = { 'a', 'b' } }, rename = { all = { 'a', 'b' } },
   alignTo = 'other', alignAs = 'other', item = { x = function() return T(1) end },
   fill = { v = 0.7 }, lgamma = { v = 2.3 },
   ['operator.mul'] = { x = function() return T(4, 3) end, y = function() return T(3, 2) end },
   ['autograd.pick_by'] = 'other', cuda = 'other', float = 'other', half = 'other', einsum = 'other',
}

local function default(name)
   if name == 'x' or name == 'y' or name == 'z' then return T(3, 2) end
   if name == 'v' or name == 'u' or name == 'w' then return ({ v = 0.7, u = 1.3, w = 0.4 })[name] end
   if name == 'n' or name == 'n2' or name == 'd' or name == 'd2' then return 1 end
   if name == 'mask' then return mask:clone() end
   if name == 'list' then return { T(3, 2), T(3, 2) } end
   if name == 'keep' or name == 'b' or name == 'b2' then return false end
   if name == 's' then return 'F' end
   return nil
end

local function value(name, record)
   local own = arguments[record.name]
   local found = own and own[name]
   if type(found) == 'function' then return found() end
   if found ~= nil then return found end
   return default(name)
end

-- The sum of all results times fixed weights: a number of the arguments.
local function weighted(result)
   local total = 0
   local function add(r, salt)
      if torch.isTensor(r) and not (torch.type(r):find 'Long' or torch.type(r):find 'Int') then
         local n = torch.nElement(r)
         local w = torch.range(1, n):add(salt):mul(0.9):cos():add(1.5)
         total = total + torch.dot(torch.reshape(r, n), w)
      elseif type(r) == 'table' then
         for i, inner in ipairs(r) do add(inner, salt + i) end
      elseif not torch.isTensor(r) and type(r) ~= 'string' and r ~= nil and type(r) ~= 'boolean' then
         total = total + r * 1.3
      end
   end
   for i, r in ipairs(result) do add(r, 3 * i) end
   return total
end

-- The decompositions whose factors change sign or basis with nothing to hold them are compared by what does not.
local invariant = {
   symeig = function(r) return { r[1], r[2] and torch.nElement(r[2]) > 0 and torch.abs(r[2]) or nil } end,
   svd = function(r) return { torch.abs(r[1]), r[2], torch.abs(r[3]) } end,
   qr = function(r) return { torch.abs(r[1]), torch.abs(r[2]) } end,
}

local failures, checked = {}, {}

local function forward_of(record)
   local operations = require 'autograd.operations'
   return function(...)
      local r = { operations.apply(record, { ... }, select('#', ...)) }
      if record.parts == 'list' then r = r[1] end
      if not record.parts then r = { r[1] } end
      return r
   end
end

local function flat(x) return type(x) == 'number' and x or torch.reshape(x, torch.nElement(x)) end

local function difference(f, args, k, inner)
   local function at(change)
      local copy = {}
      for i, a in pairs(args) do copy[i] = a end
      local x = inner and args[k][inner] or args[k]
      local changed
      if type(x) == 'number' then
         changed = change(x)
      else
         changed = x:clone()
         change(changed:view(-1))
      end
      if inner then
         copy[k] = {}
         for i, a in ipairs(args[k]) do copy[k][i] = a end
         copy[k][inner] = changed
      else
         copy[k] = changed
      end
      return f(copy)
   end
   local step = 1e-5
   local x = inner and args[k][inner] or args[k]
   if type(x) == 'number' then
      return (at(function(v) return v + step end) - at(function(v) return v - step end)) / (2 * step)
   end
   local g = torch.DoubleTensor(x:nElement())
   for i = 1, x:nElement() do
      g[i] = (at(function(t) t[i] = t[i] + step end) - at(function(t) t[i] = t[i] - step end)) / (2 * step)
   end
   return g
end

local function apart(a, b)
   if type(a) == 'number' then return math.abs(a - b) / (1 + math.abs(b)) end
   return (flat(a) - flat(b)):abs():max() / (1 + flat(b):abs():max())
end

local function check(label, record, args, positions)
   local run = forward_of(record)
   local function f(list)
      local r = run(unpack(list, 1, #list))
      return weighted(invariant[record.name] and invariant[record.name](r) or r)
   end
   for _, where in ipairs(positions) do
      local k, inner = where[1], where[2]
      local function of(x)
         local copy = {}
         for i, a in pairs(args) do copy[i] = a end
         if inner then
            copy[k] = {}
            for i, a in ipairs(args[k]) do copy[k][i] = a end
            copy[k][inner] = x
         else
            copy[k] = x
         end
         return copy
      end
      local x = inner and args[k][inner] or args[k]
      local fine, why = pcall(function()
         local df = grad(function(p) return f(of(p)) end, { optimize = true })
         local g = df(x)
         local wanted = difference(f, args, k, inner)
         local err = apart(g, wanted)
         if not (err < 1e-5) then return ('by argument %d: %g'):format(k, err) end
         -- The gradient, weighted, is a function like others.
         local function first(p)
            local h = df(p)
            return weighted { h }
         end
         local gg = grad(first, { optimize = true })(x)
         local second = difference(function(list) return first(inner and list[k][inner] or list[k]) end, args, k, inner)
         err = apart(gg, second)
         if not (err < 1e-4) then return ('second derivative by argument %d: %g'):format(k, err) end
      end)
      if not fine or why then failures[#failures + 1] = label .. ': ' .. tostring(why) end
   end
end

-- Tensors are divided so in the dialect `modern` alone.
local skipped = { ['operator.div'] = true }

local function check_use(record, use, open)
   local args, positions, label = {}, {}, record.name
   local last = 0
   for k in pairs(use.positions) do last = math.max(last, k) end
   local second = use.positions[2]
   if skipped[record.name] and second ~= 'v' and second ~= 'u' then return end
   for k = 1, last do
      local name = use.positions[k]
      args[k] = value(name, record)
      label = label .. ' ' .. name
      local gradient = use.gradient(k)
      if gradient and name == 'list' then
         for i in ipairs(args[k]) do positions[#positions + 1] = { k, i } end
      elseif gradient then
         positions[#positions + 1] = { k }
      end
   end
   if open then
      for _, a in ipairs(arguments[record.name] and arguments[record.name].all or {}) do args[#args + 1] = a end
   end
   check(label, record, args, positions)
   checked[record.name] = (checked[record.name] or 0) + #positions
end

-- Cases whose arguments are of a kind of their own.
local others = {
   einsum = {
      { 'ik,kj->ij', { T(2, 3), T(3, 2) } }, { 'ii->i', { T(3, 3) } }, { 'ij->', { T(2, 3) } },
      { 'ij,j', { T(2, 3), T(3) } },
      { '...ij,jk->...ik', { T(2, 2, 3), T(3, 2) } }, { 'ij->j', { T(2, 3) } },
   },
   ['autograd.pick_by'] = { { T(2), torch.DoubleTensor(3, 2), 2 } }, cuda = {}, float = {}, half = {},
   alignTo = { { T(3, 2):setNames('a', 'b'), 'b', 'a' } }, alignAs = {},
}

local names = {}
for name in pairs(records.by_name) do names[#names + 1] = name end
table.sort(names)
for _, name in ipairs(names) do
   local record = records.by_name[name]
   if (not only or only == name) and not record.none and not record.constant then
      if arguments[name] == 'other' then
         for i, args in ipairs(others[name]) do
            local positions = {}
            for k, a in ipairs(args) do
               if type(a) == 'table' then
                  for inner in ipairs(a) do positions[#positions + 1] = { k, inner } end
               elseif k == 1 and torch.isTensor(a) then
                  positions[#positions + 1] = { k }
               end
            end
            check(name .. ' ' .. i, record, args, positions)
         end
         checked[name] = 1
      else
         local seen = {}
         for _, use in pairs(record.uses) do
            if not seen[use] then check_use(record, use) end
            seen[use] = true
         end
         for _, open in ipairs(record.open) do check_use(record, open.use, true) end
      end
   end
end

table.sort(failures)
for _, failure in ipairs(failures) do print(failure) end

-- Every operation of torch has a row, and every row was checked by an argument at least.
if not only then
   for _, chapter in ipairs(install.by_name.torch.chapters) do
      for _, row in ipairs(install.rows_of(install.by_name.torch, chapter[1])) do
         if not chapter.define and not records.by_name[row[1]] then print('no derivative row: ' .. row[1]) end
      end
   end
   for _, name in ipairs(names) do
      local record = records.by_name[name]
      if not record.none and not record.constant and (checked[name] or 0) == 0 and name ~= 'zero' then
         print('not checked: ' .. name)
      end
   end
end
print 'done'
