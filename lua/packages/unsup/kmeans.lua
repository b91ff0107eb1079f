-- unsup.kmeans(x, k [, iterations, batch size, callback, verbose]): k-means over the first dimension of x.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(unsup)

   -- Returns the centroids, k times the sizes of a point, and how many points each had, over all iterations. Calls
   -- callback(iteration, centroids, counts) before the first and after each iteration; true as its result ends them.
   function unsup.kmeans(x, k, niter, batchsize, callback, verbose)
      check.real('kmeans', 'x', x)
      if x:dim() < 2 then check.argument_error('kmeans', 'x', 'a tensor of at least 2 dimensions', x) end
      k = check.size('kmeans', 'k', k)
      niter = check.integer('kmeans', 'niter', niter or 1, 0)
      local count = x:size(1)
      batchsize = check.size('kmeans', 'batchsize', batchsize or math.min(1000, count))
      if callback then check.callable('kmeans', 'callback', callback) end

      local sizes = x:size()
      sizes[1] = k
      local points = x:contiguous():view(count, -1)
      local centroids = points.new(k, points:size(2)):normal()
      for i = 1, k do centroids[i]:div(centroids[i]:norm()) end
      local total = points.new(k):zero()
      if callback then callback(0, centroids:view(sizes), total) end

      for i = 1, niter do
         if verbose then require('xlua').progress(i, niter) end
         local sums, counts = points.new(k, points:size(2)):zero(), points.new(k):zero()
         -- The nearest centroid has the largest product with the point minus half of its squared norm.
         local half = torch.cmul(centroids, centroids):sum(2):div(2)
         for first = 1, count, batchsize do
            local size = math.min(batchsize, count - first + 1)
            local batch = points:narrow(1, first, size)
            local scores = torch.mm(centroids, batch:t()):add(-1, half:expand(k, size))
            local _, nearest = scores:max(1)
            local chosen = points.new(size, k):zero():scatter(2, nearest:view(-1, 1), 1)
            sums:addmm(chosen:t(), batch)
            counts:add(chosen:sum(1):view(-1))
         end
         for c = 1, k do
            if counts[c] > 0 then centroids[c]:copy(sums[c]):div(counts[c]) end
         end
         total:add(counts)
         if callback and callback(i, centroids:view(sizes), total) then break end
      end
      return centroids:view(sizes), total
   end
end
