-- Principal components and whitening. Data are rows of samples; `P` maps centred rows to white ones, `invP` back.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(unsup, nn)

   -- Data as rows; samples of several dimensions are made one row each.
   local function rows(name, x)
      check.real(name, 'data', x)
      check.dimensions(name, 'data', x, 2, 8)
      return x:dim() == 2 and x or x:contiguous():view(x:size(1), -1)
   end

   local function centred(x, means) return torch.add(x, -1, means:view(1, -1):expandAs(x)) end

   local function samples(name, x)
      if rows(name, x):size(1) < 2 then check.argument_error(name, 'data', 'at least 2 rows', x) end
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
         check.argument_error(name, what, string.format('a tensor of size [%dx%d]', width, width), value)
      end
      return value
   end

   local function mean_vector(name, means, x)
      check.tensor(name, 'means', means)
      if means:nElement() ~= x:size(2) then
         check.argument_error(name, 'means', string.format('a tensor of %d elements', x:size(2)), means)
      end
      return means:contiguous()
   end

   -- Returns white data, means, P and invP; those that are given are used. As in the original only zca_whiten takes an
   -- epsilon.
   local function whitener(name, symmetric)
      return function(data, means, P, invP, epsilon)
         local x = rows(name, data)
         if not (means and P and (invP or not symmetric)) then
            epsilon = check.number(name, 'epsilon', symmetric and epsilon or 1e-5)
            means, P, invP = fit(samples(name, x), symmetric, epsilon)
         end
         local white = torch.mm(centred(x, mean_vector(name, means, x)), matrix(name, 'P', P, x))
         return white:resizeAs(data), means, P, invP
      end
   end

   -- Data as they were before whitening, and means, P and invP.
   local function make_coloring(name)
      return function(data, means, P, invP)
         local x = rows(name, data)
         local row = mean_vector(name, means, x):view(1, -1)
         local made = torch.mm(x, matrix(name, 'invP', invP, x))
         return made:add(row:expandAs(made)):resizeAs(data), means, P, invP
      end
   end

   unsup.pca_whiten, unsup.zca_whiten = whitener('pca_whiten', false), whitener('zca_whiten', true)
   unsup.pca_colour, unsup.zca_colour = make_coloring 'pca_colour', make_coloring 'zca_colour'

   -- layer(data, means, P, invP): a layer that whitens or colours data of that size, then means, P and invP, those of
   -- the data if they are not given. `set(linear, means, P, invP)` fills it.
   local function layer(name, whiten, set)
      return function(data, means, P, invP)
         local x = rows(name, data)
         if not (means and P and invP) then
            local _
            _, means, P, invP = whiten(data)
         end
         mean_vector(name, means, x)
         local width = x:size(2)
         local linear = nn.Linear(width, width)
         set(linear, means, matrix(name, 'P', P, x), matrix(name, 'invP', invP, x))
         local made = linear
         if data:dim() > 2 then
            made = nn.Sequential():add(nn.Reshape(data:size(1), width)):add(linear):add(nn.Reshape(data:size()))
         end
         return made, means, P, invP
      end
   end

   local function forward(linear, means, P)
      linear.weight:copy(P:t())
      linear.bias:zero()
      linear.bias:copy(linear:forward(means:typeAs(linear.weight)):mul(-1))
   end

   local function back(linear, means, _, invP)
      linear.weight:copy(invP:t())
      linear.bias:copy(means)
   end

   for _, kind in ipairs { 'pca', 'zca' } do
      local whiten = unsup[kind .. '_whiten']
      unsup[kind .. '_layer'] = layer(kind .. '_layer', whiten, forward)
      unsup['inv_' .. kind .. '_layer'] = layer('inv_' .. kind .. '_layer', whiten, back)
   end
end
