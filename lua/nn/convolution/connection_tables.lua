-- nn.tables: connection tables of SpatialConvolutionMap, rows of { input plane, output plane }.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'

return function(tables)

   -- Each output from all inputs.
   function tables.full(nin, nout)
      nin = check.size('nn.tables.full', 'nin', nin)
      nout = check.size('nn.tables.full', 'nout', nout)
      local t = torch.Tensor(nin * nout, 2)
      for c = 1, nin * nout do
         t[c][1], t[c][2] = (c - 1) % nin + 1, math.floor((c - 1) / nin) + 1
      end
      return t
   end

   -- Each output from the input of its number.
   function tables.oneToOne(nfeat)
      nfeat = check.size('nn.tables.oneToOne', 'nfeat', nfeat)
      local t = torch.Tensor(nfeat, 2)
      for c = 1, nfeat do t[c]:fill(c) end
      return t
   end

   -- Each output from nto inputs, taken from a permutation of the inputs until it has fewer left.
   function tables.random(nin, nout, nto)
      nin = check.size('nn.tables.random', 'nin', nin)
      nout = check.size('nn.tables.random', 'nout', nout)
      nto = check.size('nn.tables.random', 'nto', nto)
      if nto > nin or nto < 1 then
         errors.raise('nn.tables.random: inputs of an output must be from 1 to %d (got %d)', nin, nto)
      end
      local t, order, used = torch.Tensor(nto * nout, 2), torch.randperm(nin), 0
      for o = 1, nout do
         for i = 1, nto do
            local row = t[(o - 1) * nto + i]
            row[1], row[2] = order[used + i], o
         end
         used = used + nto
         if used + nto > nin then order, used = torch.randperm(nin), 0 end
      end
      return t
   end

end
