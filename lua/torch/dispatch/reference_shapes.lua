-- The shapes of an operation's arguments and results for the reference, by its factories or its name. `*` stands for
-- any sizes, the same ones throughout, and `x without dim` for the sizes of x with 1 at a dimension.

local install = require 'torch.dispatch.install'

local reference_shapes = {}

local elementwise = { t = '* -> *', tt = '*, * -> *', ttt = '*, *, * -> *' }
local reduced = 'x -> a number; with dim, x -> x without dim'
local ordered = 'x -> x without dim, and a LongTensor of indices of the same sizes'

local factories = {
   ['elementwise.compare'] = '* -> a ByteTensor of *',
   ['reduce_axis.sum_all'] = reduced, ['reduce_axis.prod_all'] = reduced, ['reduce_axis.mean_all'] = reduced,
   ['statistics.var_all'] = reduced, ['statistics.norm_all'] = reduced,
   ['minmax.all'] = 'x -> a number; with dim, x -> x without dim, and a '
      .. 'LongTensor of indices of the same sizes',
   ['reduce_axis.all'] = '* -> a boolean',
   ['reduce_axis.any'] = '* -> a boolean',
   ['reduce_axis.equal'] = '*, * -> a boolean',
   ['reduce_axis.trace'] = 'n x m -> a number',
   ['statistics.dist'] = '*, * -> a number', ['statistics.match'] = 'n x k, m x k -> n x m',
   ['statistics.renorm'] = '* -> *',
   ['statistics.histc'] = '* -> n',
   ['statistics.bhistc'] = 'b x k -> b x n',
   ['cumulative.along'] = '* -> *', ['cumulative.cross'] = '*, * -> *; dim has size 3',
   ['sort.sort'] = '* -> *, and a LongTensor of indices of the same sizes',
   ['selection.topk'] = 'x -> x with k at dim, and a LongTensor of indices of the same sizes',
   ['selection.kthvalue'] = ordered, ['selection.median'] = ordered, ['sort.mode'] = ordered,
   ['create.range'] = 'numbers -> floor((last - first)/step) + 1',
   ['create.arange'] = 'numbers -> ceil((last - first)/step)',
   ['create.linspace'] = 'numbers -> n',
   ['create.logspace'] = 'numbers -> n',
   ['create.eye'] = 'rows, columns -> rows x columns',
   ['create.diag'] = 'n -> n x n; n x m -> the length of the diagonal',
   ['create.triangle'] = 'n x m -> n x m',
   ['join.cat_two'] = 'x, y of the same sizes except at dim -> the sum of their sizes at dim',
   ['join.stack_two'] = '*, * -> * with a new dimension, of size 2',
   ['shape_ops.flatten'] = 'x -> x with one dimension in place of those from first to last',
   ['shape_ops.shape'] = 'x -> numbers', ['shape_ops.item'] = 'x of 1 element -> a number',
   ['gather.index'] = 'x, a LongTensor of k -> x with k at dim',
   ['gather.index_new'] = 'x, a LongTensor of k -> x with k at dim',
   ['gather.index_copy'] = 'x, a LongTensor of k, y: x with k at dim -> x',
   ['gather.index_add'] = 'x, a LongTensor of k, y: x with k at dim -> x',
   ['gather.index_fill'] = 'x, a LongTensor of k -> x',
   ['scatter.gather'] = 'x, a LongTensor of indices -> the sizes of the indices',
   ['scatter.scatter'] = 'x, a LongTensor of indices, y of their sizes -> x',
   ['masked.select'] = '*, a ByteTensor of * -> the number of ones in the mask',
   ['masked.copy'] = '*, a ByteTensor of *, y of at least as many elements as the mask has ones -> *',
   ['masked.fill'] = '*, a ByteTensor of * -> *',
   ['masked.nonzero'] = 'x -> a LongTensor of n x the number of dimensions',
   ['linalg.products.dot'] = '*, * -> a number',
   ['linalg.systems.inverse'] = 'n x n -> n x n', ['linalg.systems.gesv'] = 'n x k, n x n -> n x k, n x n',
   ['linalg.systems.gels'] = 'm x k, m x n -> n x k, m x n',
   ['linalg.systems.trtrs'] = 'n x k, n x n -> n x k, n x n', ['linalg.systems.potrf'] = 'n x n -> n x n',
   ['linalg.systems.potrs'] = 'n x k, n x n -> n x k', ['linalg.systems.potri'] = 'n x n -> n x n',
   ['linalg.systems.pstrf'] = 'n x n -> n x n, an IntTensor of n',
   ['linalg.decompositions.symeig'] = 'n x n -> n, n x n',
   ['linalg.decompositions.eig'] = 'n x n -> n x 2, n x n',
   ['linalg.decompositions.svd'] = 'm x n -> m x k, k, n x k with k the smaller of m and n',
   ['linalg.decompositions.qr'] = 'm x n -> m x k, k x n with k the smaller of m and n',
   ['linalg.decompositions.geqrf'] = 'm x n -> m x n, the smaller of m and n',
   ['linalg.decompositions.orgqr'] = 'm x n, k -> m x n',
   ['linalg.decompositions.ormqr'] = 'm x k, k, m x n -> m x n',
   ['random.distributions.number'] = '-> a number; with res, * -> *',
   ['random.permutation.randperm'] = 'n -> n',
   ['random.categorical.multinomial'] = 'k -> n; b x k -> b x n',
   ['random.categorical.alias_setup'] = 'k -> k, k',
   ['random.categorical.alias_draw'] = 'res of *, k, k -> *',
}

local names = {
   zeros = 'sizes -> these sizes',
   ones = 'sizes -> these sizes',
   full = 'sizes -> these sizes',
   rand = 'sizes -> these sizes',
   randn = 'sizes -> these sizes',
   where = '*, *, * -> *; a mask alone -> a table of LongTensors of n, one for each dimension',
   mv = 'n x m, m -> n',
   mm = 'n x m, m x p -> n x p',
   bmm = 'b x n x m, b x m x p -> b x n x p',
   ger = 'n, m -> n x m',
   addmv = 'n, n x m, m -> n', addmm = 'n x p, n x m, m x p -> n x p', addr = 'n x m, n, m -> n x m',
   addbmm = 'n x p, b x n x m, b x m x p -> n x p', baddbmm = 'b x n x p, b x n x m, b x m x p -> b x n x p',
   einsum = 'those of the letters of the equation',
   setNames = '* -> *', names = 'x -> a table of names', refineNames = '* -> *', rename = '* -> *',
   alignTo = 'x -> its sizes in the order of the names, 1 where it has none',
   alignAs = 'x, y -> as alignTo, with the names of y',
}

-- Regions of convolutions: 'V' gives the places where the kernel lies inside, 'F' those where it touches.
local function convolved(dimensions)
   local image, kernel, inside = 'p x H x W', 'q x p x h x w', 'q x (H - h + 1) x (W - w + 1)'
   if dimensions == 3 then
      image, kernel, inside = 'p x T x H x W', 'q x p x t x h x w', 'q x (T - t + 1) x (H - h + 1) x (W - w + 1)'
   end
   local plain = string.gsub(image, '^p x ', '') .. ', ' .. string.gsub(kernel, '^q x p x ', '') .. ' -> '
      .. string.gsub(inside, '^q x ', '')
   local full = "; with + for - and - for + where the region is 'F'"
   return plain .. '; ' .. image .. ', ' .. kernel .. ' -> ' .. inside .. full
end
names.conv2, names.xcorr2, names.conv3, names.xcorr3 = convolved(2), convolved(2), convolved(3), convolved(3)

-- The shapes of an operation as text; nil if they are not known.
function reference_shapes.of(name)
   local row = install.row(name)
   if row.shapes or names[row[1]] then return row.shapes or names[row[1]] end
   for i = 2, #row do
      if row[i][2] == 'elementwise.map' then
         local tensors = {}
         for letter in string.gmatch(row[i][1], '%f[%a]t%f[%A]') do tensors[#tensors + 1] = letter end
         return elementwise[table.concat(tensors)]
      elseif factories[row[i][2]] then
         return factories[row[i][2]]
      end
   end
end

return reference_shapes
