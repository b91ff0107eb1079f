-- Categorical samples by the cumulative distribution or by Walker's alias tables.

local floor = math.floor
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers = require 'torch.memory.buffers'
local mersenne_twister, types = require 'torch.random.mersenne_twister', require 'torch.base.types'
local ffi = require 'ffi'
local numel, shape = geometry.numel, geometry.shape
local Long = types.by_name.Long

local categorical = {}

-- The first of n cumulative probabilities that is at least u.
local function find(cumulative, n, u)
   local left, right = 0, n
   while right > left do
      local middle = left + floor((right - left) / 2)
      if cumulative[middle] < u then left = middle + 1 else right = middle end
   end
   return left
end

-- Takes category k out of n cumulative probabilities and scales the rest up.
local function remove(cumulative, n, k)
   local mass = cumulative[k] - (k > 0 and cumulative[k - 1] or 0)
   local rest = 1 - mass
   for i = 0, n - 1 do
      cumulative[i] = (i >= k and cumulative[i] - mass or cumulative[i]) / rest
   end
end

local function weight_at(get, name, weights, i)
   local weight = get(weights, i)
   if not (weight >= 0) then errors.raise('%s: probabilities must be at least 0 (got %g)', name, weight) end
   return weight
end

local function accumulate(get, name, cumulative, weights, n)
   local sum = 0
   for i = 0, n - 1 do
      sum = sum + weight_at(get, name, weights, i)
      cumulative[i] = sum
   end
   if not (sum > 0 and sum < 1 / 0) then
      errors.raise('%s: the sum of the probabilities must be positive (got %g)', name, sum)
   end
   for i = 0, n - 1 do cumulative[i] = cumulative[i] / sum end
end

function categorical.multinomial(name, T)
   local get = require('torch.loops.element').getter(T)
   return function(r, g, p, n, replacement)
      if p._dim ~= 1 and p._dim ~= 2 then
         errors.argument(name, 1, 'must be a vector or matrix of probabilities (got [%s])', shape(p))
      end
      n = errors.integer(name, 2, n)
      local rows, categories = p._dim == 2 and p._size[0] or 1, p._size[p._dim - 1]
      if n < 1 then errors.raise('%s: the number of samples must be at least 1 (got %.0f)', name, n) end
      if not replacement and n > categories then
         errors.raise('%s: there can be at most %.0f samples without replacement (got %.0f)', name, categories, n)
      end
      g = g or mersenne_twister.default
      local drawn = Long.new_contiguous(p._dim == 2 and { rows, n } or { n })
      local weights, cumulative = T.contiguous(p), ffi.new('double[?]', categories)
      local at, from = drawn._memory._data, weights._memory._data + weights._offset
      for row = 0, rows - 1 do
         accumulate(get, name, cumulative, from + row * categories, categories)
         for i = 0, n - 1 do
            local u = mersenne_twister.uniform(g)
            -- Rounding may have left the last one below 1.
            cumulative[categories - 1] = 1
            local k = find(cumulative, categories, u)
            at[row * n + i] = k + 1
            if not replacement then remove(cumulative, categories, k) end
         end
      end
      buffers.keep_alive(drawn, weights)
      return Long.result(r, drawn)
   end
end

-- Walker's tables: each category has a share of its slot, and its alias, a larger one, the rest.
local function balance(share, alias, n)
   local small, large = ffi.new('int32_t[?]', n), ffi.new('int32_t[?]', n)
   local smalls, larges = 0, 0
   for i = 0, n - 1 do
      if share[i] < 1 then
         small[smalls], smalls = i, smalls + 1
      else
         large[larges], larges = i, larges + 1
      end
   end
   while smalls > 0 and larges > 0 do
      local lender, borrower = large[larges - 1], small[smalls - 1]
      alias[borrower] = lender
      share[lender] = share[lender] - (1 - share[borrower])
      if share[lender] < 1 then
         small[smalls - 1], larges = lender, larges - 1
      else
         smalls = smalls - 1
      end
   end
end

function categorical.alias_setup(name, T)
   local get = require('torch.loops.element').getter(T)
   return function(p, alias, share)
      local n = numel(p)
      if n == 0 then errors.argument(name, 1, 'must hold probabilities (got an empty tensor)') end
      local shares, aliases, weights = T.new_vector(n), Long.new_vector(n), T.contiguous(p)
      local from, q, j = weights._memory._data + weights._offset, shares._memory._data, aliases._memory._data
      for i = 0, n - 1 do
         q[i], j[i] = n * weight_at(get, name, from, i), 0
      end
      balance(q, j, n)
      local minimum, maximum = q[0], q[0]
      for i = 0, n - 1 do
         if not (q[i] > minimum) then minimum = q[i] end
         if not (q[i] < maximum) then maximum = q[i] end
      end
      if not (minimum > 0) then errors.raise('%s: probabilities must be positive', name) end
      for i = 0, n - 1 do
         if maximum > 1 then q[i] = q[i] / maximum end
         -- It was not filled up by another category: the whole slot is its own.
         if j[i] <= 0 then q[i] = 1 end
         j[i] = j[i] + 1
      end
      buffers.keep_alive(shares, aliases, weights)
      return Long.result(alias, aliases), T.result(share, shares)
   end
end

-- A slot, and then the category or its alias. The alias counts from 0, as in Torch7: its samples are reproduced.
function categorical.alias_draw(name, T)
   local get = require('torch.loops.element').getter(T)
   return function(r, g, alias, share)
      local n = numel(alias)
      if n == 0 or numel(share) ~= n then
         errors.raise('%s: the two tables must have one size (got [%s] and [%s])', name, shape(alias), shape(share))
      end
      if r._dim == 0 then errors.argument(name, 1, 'must be a LongTensor with elements (got an empty one)') end
      g = g or mersenne_twister.default
      local aliases, shares = Long.contiguous(alias), T.contiguous(share)
      local drawn = Long.new_like(r)
      local j, q = aliases._memory._data + aliases._offset, shares._memory._data + shares._offset
      local to = drawn._memory._data
      for i = 0, numel(r) - 1 do
         local slot = floor(mersenne_twister.uniform(g) * n)
         local share_of_slot = get(q, slot)
         if not (share_of_slot >= 0 and share_of_slot <= 1) then
            errors.raise('%s: probabilities must be 0 to 1 (got %g)', name, share_of_slot)
         end
         if j[slot] < 1 or j[slot] > n then
            errors.raise('%s: indices must be 1 to %.0f (got %.0f)', name, n, tonumber(j[slot]))
         end
         if mersenne_twister.uniform(g) <= share_of_slot then to[i] = slot + 1 else to[i] = j[slot] - 1 end
      end
      buffers.keep_alive(aliases, shares)
      Long.copy_from(r, Long, drawn)
      return r
   end
end

function categorical.install(torch)
   -- The tables of a vector of probabilities, to draw from with multinomialAlias: { LongTensor, tensor }.
   function torch.multinomialAliasSetup(probabilities, tables)
      if type(tables) ~= 'table' then tables = {} end
      if tables[1] then
         torch.multinomialAliasSetup_(probabilities, tables[1], tables[2])
      else
         tables[1], tables[2] = torch.multinomialAliasSetup_(probabilities)
      end
      return tables
   end

   -- Fills a LongTensor with categories drawn by tables of multinomialAliasSetup.
   function torch.multinomialAlias(output, tables)
      if type(tables) ~= 'table' or not types.of_tensor(tables[2]) then
         errors.argument_error('multinomialAlias', 2, 'tables of multinomialAliasSetup', tables)
      end
      tables[2].multinomialAlias_(output, tables[1], tables[2])
      return output
   end
end

return categorical
