-- Updates that several methods have in common, see fuse.lua. They round as the original's addcmul and addcdiv.

local fuse = require 'optim.fuse'

return {
   -- Running means of y, and of its squares: (z, x, y, v, u) with x the mean so far.
   mean = fuse 'a = multiply x v; b = multiply y u; z = add a b',
   mean_of_squares = fuse 'a = multiply x v; b = multiply y u; b = multiply b y; z = add a b',
   -- (x, x, y, w, v, u) adds v y / (sqrt(w) + u) to x; w is the mean of squared gradients.
   scaled_step = fuse 'a = sqrt w; a = add a u; b = multiply y v; b = divide b a; z = add x b',
}
