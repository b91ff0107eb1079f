-- Updates that several methods have in common, see fuse.lua.

local fuse = require 'optim.fuse'

return {
   -- Running means of y, and of its squares: (z, x, y, v, u) with x the mean so far.
   mean = fuse 'a = multiply x v; b = multiply y u; z = add a b',
   mean_of_squares = fuse 'a = multiply x v; b = multiply y y; b = multiply b u; z = add a b',
   -- (x, x, y, w, v, u) adds v y / (sqrt(w) + u) to x; w is the mean of squared gradients.
   scaled_step = fuse 'a = sqrt w; a = add a u; a = divide y a; a = multiply a v; z = add x a',
}
