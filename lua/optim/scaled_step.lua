-- Steps of Adam and variants: scaled_step(x, x, y, w, v, u) adds v y / (sqrt(w) + u) to x; w is the mean of squared
-- gradients.

return require 'optim.fuse' 'a = sqrt w; a = add a u; a = divide y a; a = multiply a v; z = add x a'
