-- optim.ConfusionMatrix: how often each class was predicted for each target.

local torch = require 'torch'
local check, kernel = require 'torch.base.check', require 'nn.kernels.kernel'

return function(ConfusionMatrix)

   -- (number of classes or list of names [, names])
   function ConfusionMatrix:__init(nclasses, classes)
      if type(nclasses) == 'table' then
         classes = nclasses
         nclasses = #classes
      end
      nclasses = check.integer('ConfusionMatrix', 'the number of classes', nclasses, 1)
      if classes then check.kind('ConfusionMatrix', 'the list of names', classes, 'table') end
      self.mat = torch.LongTensor(nclasses, nclasses):zero()
      self.valids = torch.FloatTensor(nclasses):zero()
      self.unionvalids = torch.FloatTensor(nclasses):zero()
      self.nclasses = nclasses
      self.totalValid, self.averageValid = 0, 0
      self.classes = classes or {}
      self._mat_flat = self.mat:view(-1)
      self._target, self._prediction = torch.FloatTensor(), torch.FloatTensor()
      self._max, self._pred_idx, self._targ_idx = torch.FloatTensor(), torch.LongTensor(), torch.LongTensor()
   end

   -- The index of the largest of some scores, which are compared as Floats.
   local function largest(scores, buffer, maximum, index, dimension)
      buffer:resize(scores:size()):copy(scores)
      maximum:max(index, buffer, dimension)
      return index
   end

   local function is_vector(value, what)
      if type(value) == 'number' then return false end
      if not torch.isTensor(value) or value:dim() ~= 1 then
         check.argument_error('ConfusionMatrix:add', what, 'a number or a vector', value)
      end
      return true
   end

   function ConfusionMatrix:_add(p, t)
      -- Targets that are not a class do not count.
      if t > 0 then
         check.index('ConfusionMatrix:add', 'the prediction', p, self.nclasses)
         check.index('ConfusionMatrix:add', 'the target', t, self.nclasses)
         self.mat[t][p] = self.mat[t][p] + 1
      end
   end

   -- One prediction and its target: numbers, or vectors of scores.
   function ConfusionMatrix:add(prediction, target)
      local p, t = prediction, target
      if is_vector(t, 'the target') then
         t = largest(t, self._target, self._max, self._targ_idx, 1)[1]
      end
      if is_vector(p, 'the prediction') then
         p = largest(p, self._prediction, self._max, self._pred_idx, 1)[1]
      end
      self:_add(p, t)
   end

   -- The classes of a batch: a vector of them, or a matrix of scores.
   local function classes_of(values, what, buffer, maximum, index)
      check.tensor('ConfusionMatrix:batchAdd', what, values)
      if values:dim() ~= 1 and values:dim() ~= 2 then
         check.fail('ConfusionMatrix:batchAdd', '%s must have 1 or 2 dimensions (got %s)', what, check.describe(values))
      end
      if values:dim() == 2 and values:size(2) > 1 then
         return largest(values, buffer, maximum, index, 2):select(2, 1)
      end
      return buffer:resize(values:size()):copy(values):view(-1)
   end

   function ConfusionMatrix:batchAdd(predictions, targets)
      local p = classes_of(predictions, 'the predictions', self._prediction, self._max, self._pred_idx)
      local t = classes_of(targets, 'the targets', self._target, self._max, self._targ_idx)
      if p:size(1) ~= t:size(1) then
         check.fail('ConfusionMatrix:batchAdd', 'predictions and targets must be as many (got %d and %d)', p:size(1),
            t:size(1))
      end
      p, t = kernel.indices(p), kernel.indices(t)
      local n, count = self.nclasses, p:size(1)
      local guesses, classes = kernel.long_pointer(p), kernel.long_pointer(t)
      -- Nothing is counted unless everything is valid.
      for i = 0, count - 1 do
         local guess, class = tonumber(guesses[i]), tonumber(classes[i])
         if class >= 1 and (class > n or not (guess >= 1 and guess <= n)) then
            check.fail('ConfusionMatrix:batchAdd', 'predictions and targets must be from 1 to %d (got %d and %d)', n,
               guess, class)
         end
      end
      if not self.mat:isContiguous() or self.mat:nElement() ~= n * n then
         check.fail('ConfusionMatrix:batchAdd', 'the matrix must be of size %dx%d (got %s)', n, n,
            check.describe(self.mat))
      end
      local counts = kernel.long_pointer(self.mat)
      for i = 0, count - 1 do
         local class = tonumber(classes[i])
         if class >= 1 then
            local at = (class - 1) * n + tonumber(guesses[i]) - 1
            counts[at] = counts[at] + 1
         end
      end
      kernel.keep_alive(p, t, self.mat)
   end

   function ConfusionMatrix:zero()
      self.mat:zero()
      self.valids:zero()
      self.unionvalids:zero()
      self.totalValid, self.averageValid = 0, 0
   end

   -- Rates of classes that were never a target are nan; means leave these classes out.
   function ConfusionMatrix:updateValids()
      local counts, n = self.mat:double(), self.nclasses
      local rows, columns = counts:sum(2):view(-1), counts:sum(1):view(-1)
      local right, seen, sum, union_sum = 0, 0, 0, 0
      for i = 1, n do
         local hits = counts[i][i]
         self.valids[i] = hits / rows[i]
         self.unionvalids[i] = hits / (rows[i] + columns[i] - hits)
         right = right + hits
         if rows[i] > 0 then
            seen, sum, union_sum = seen + 1, sum + self.valids[i], union_sum + self.unionvalids[i]
         end
      end
      self.totalValid = right / counts:sum()
      self.averageValid, self.averageUnionValid = sum / seen, union_sum / seen
   end

   -- The false reject rate of each class, and its mean false accept rate over the other classes; -1 for classes that
   -- were never a target. Then the same without these.
   function ConfusionMatrix:farFrr()
      local counts, n = self.mat:double(), self.nclasses
      local rows, seen = counts:sum(2):view(-1), {}
      for _, name in ipairs { '_frrs', '_fars', '_classFrrs', '_classFars' } do
         self[name] = (self[name] or torch.Tensor()):resize(n):zero()
      end
      self._classFrrs:fill(-1)
      self._classFars:fill(-1)
      for i = 1, n do
         if rows[i] > 0 then seen[#seen + 1] = i end
      end
      for k, i in ipairs(seen) do
         local sum = 0
         for _, j in ipairs(seen) do
            if j ~= i then sum = sum + counts[j][i] / rows[j] end
         end
         self._frrs[k], self._fars[k] = 1 - counts[i][i] / rows[i], sum / (#seen - 1)
         self._classFrrs[i], self._classFars[i] = self._frrs[k], self._fars[k]
      end
      if #seen == 0 then return self._classFrrs, self._classFars, torch.Tensor(), torch.Tensor() end
      return self._classFrrs, self._classFars, self._frrs:narrow(1, 1, #seen), self._fars:narrow(1, 1, #seen)
   end

   function ConfusionMatrix:__tostring__()
      self:updateValids()
      local lines, n = { 'ConfusionMatrix:\n' }, self.nclasses
      local digits = math.max(8, 1 + math.ceil(math.log10(self.mat:max())))
      for t = 1, n do
         local numbers = {}
         for p = 1, n do numbers[p] = string.format('%' .. digits .. 'd', self.mat[t][p]) end
         local percent = string.format('%2.3f', self.valids[t] * 100)
         if self.valids[t] ~= self.valids[t] then percent = 'nan' end
         lines[#lines + 1] = (t == 1 and '[[' or ' [') .. table.concat(numbers) .. (t == n and ']]  ' or ']   ') ..
            percent .. '% '
         if self.classes and self.classes[1] then
            lines[#lines + 1] = '\t[class: ' .. tostring(self.classes[t] or '') .. ']'
         end
         lines[#lines + 1] = '\n'
      end
      lines[#lines + 1] = ' + average row correct: ' .. self.averageValid * 100 .. '% \n'
      lines[#lines + 1] = ' + average rowUcol correct (VOC measure): ' .. self.averageUnionValid * 100 .. '% \n'
      lines[#lines + 1] = ' + global correct: ' .. self.totalValid * 100 .. '%'
      return table.concat(lines)
   end

   -- A picture of the matrix, as a tensor of 3 x height x width, with classes sorted by 'score' or
   -- 'occurrence'.
   function ConfusionMatrix:render(sortmode, _, block)
      block = check.integer('ConfusionMatrix:render', 'the size of a cell', block or 25, 1)
      local n = self.nclasses
      local shares = self.mat:float()
      for i = 1, n do
         local sum = shares[i]:sum()
         if sum > 0 then shares[i]:div(sum) end
      end
      local order = torch.range(1, n):long()
      if sortmode == 'score' or sortmode == 'occurrence' then
         local key = torch.FloatTensor(n)
         for i = 1, n do key[i] = sortmode == 'score' and shares[i][i] or self.mat[i]:sum() end
         local _, by = key:sort(1, true)
         order = by
      end
      local sorted = shares:index(1, order):index(2, order)
      local picture = torch.FloatTensor(3, n * block, n * block)
      for i = 1, n do
         for j = 1, n do
            local cell = picture[{ {}, { (i - 1) * block + 1, i * block }, { (j - 1) * block + 1, j * block } }]
            cell:fill(1 - sorted[i][j])
            -- Correct predictions in green, wrong ones in red.
            cell[i == j and 2 or 1]:fill(1)
         end
      end
      return picture
   end
end
