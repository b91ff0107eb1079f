-- Principal components and whitening. Data are rows of samples; `P` maps centred rows to white ones, `invP` back.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(unsup, nn)

   local function rows(name, x)
      check.real(name, 'data', x)
      check.dimensions(name, 'data', x, 2, 2)
      return x
   end

   local function centred(x, means) return torch.add(x, -1, means:view(1, -1):expandAs(x)) end

   local function samples(name, x)
      if rows(name, x):size(1) < 2 then check.refuse(name, 'data', 'at least 2 rows', x) end
      return x
   end

   -- Eigenvalues, ascending, and eigenvectors, as columns, of the covariance matrix.
   function unsup.pcacov(x)
      local centre = centred(samples('pcacov', x), x:mean(1))
      return torch.symeig(torch.mm(centre:t(), centre):div(x:size(1) - 1), 'V')
   end

   -- The same by singular values: eigenvalues descending.
   function unsup.pca(x)
      local centre = centred(samples('pca', x), x:mean(1)):div(math.sqrt(x:size(1) - 1))
      local vectors, values = torch.svd(centre:t())
      return values:cmul(values), vectors
   end

   -- Means, P and invP of data; `symmetric` turns the white axes back to those of the data.
   local function fit(x, symmetric, epsilon)
      local values, vectors = unsup.pcacov(x)
      local scale = values:add(epsilon):sqrt()
      local P = torch.mm(vectors, torch.diag(torch.pow(scale, -1)))
      local invP = torch.mm(torch.diag(scale), vectors:t())
      if symmetric then P, invP = torch.mm(P, vectors:t()), torch.mm(vectors, invP) end
      return x:mean(1):view(-1), P, invP
   end

   local function matrix(name, what, value, x)
      local width = x:size(2)
      if not torch.isTensor(value) or value:dim() ~= 2 or value:size(1) ~= width or value:size(2) ~= width then
         check.refuse(name, what, ('a tensor of size [%dx%d]'):format(width, width), value)
      end
      return value
   end

   local function mean_vector(name, means, x)
      check.tensor(name, 'means', means)
      if means:nElement() ~= x:size(2) then
         check.refuse(name, 'means', ('a tensor of %d elements'):format(x:size(2)), means)
      end
      return means
   end

   -- Returns white data, means, P and invP; with means and P those are used.
   local function whitener(name, symmetric)
      return function(x, means, P, invP, epsilon)
         if not (means and P) then
            means, P, invP = fit(samples(name, x), symmetric, check.number(name, 'epsilon', epsilon or 1e-5))
         end
         rows(name, x)
         return torch.mm(centred(x, mean_vector(name, means, x)), matrix(name, 'P', P, x)), means, P, invP
      end
   end

   -- Data as they were before whitening.
   local function colourer(name)
      return function(x, means, invP)
         rows(name, x)
         mean_vector(name, means, x)
         return torch.mm(x, matrix(name, 'invP', invP, x)):add(means:view(1, -1):expandAs(x))
      end
   end

   unsup.pca_whiten, unsup.zca_whiten = whitener('pca_whiten', false), whitener('zca_whiten', true)
   unsup.pca_colour, unsup.zca_colour = colourer 'pca_colour', colourer 'zca_colour'

   -- A linear layer of the type of a matrix, from its weight and bias.
   local function linear(weight, bias)
      local layer = nn.Linear(weight:size(2), weight:size(1)):type(weight:type())
      layer.weight:copy(weight)
      layer.bias:copy(bias)
      return layer
   end

   local function layer(name, what, make)
      return function(means, P)
         check.tensor(name, 'means', means)
         check.dimensions(name, what, P, 2, 2)
         if means:nElement() ~= P:size(1) or P:size(1) ~= P:size(2) then
            check.fail(name, '%s must be a square matrix with a row for each mean (got %s and %s)', what,
               check.describe(P), check.describe(means))
         end
         return make(means:contiguous():view(-1), P)
      end
   end

   -- nn.Linear that whitens a row, and nn.Linear that colours it: layer(means, P), inv_layer(means, invP).
   local function forward(means, P) return linear(P:t(), torch.mv(P:t(), means):mul(-1)) end
   local function back(means, invP) return linear(invP:t(), means) end

   for _, kind in ipairs { 'pca', 'zca' } do
      unsup[kind .. '_layer'] = layer(kind .. '_layer', 'P', forward)
      unsup['inv_' .. kind .. '_layer'] = layer('inv_' .. kind .. '_layer', 'invP', back)
   end
end
