-- Updates that several methods have in common, see fuse.lua. They round as the original's addcmul and addcdiv.

local fuse = require 'optim.fuse'

return {
   -- Running means of y, and of its squares: (z, x, y, v, u) with x the mean so far.
   mean = fuse 'z = x * v + y * u',
   mean_of_squares = fuse 'z = x * v + y * u * y',
   -- (x, x, y, w, v, u) adds v y / (sqrt(w) + u) to x; w is the mean of squared gradients.
   scaled_step = fuse 'z = x + y * v / (sqrt(w) + u)',
}
