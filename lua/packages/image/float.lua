-- Rounds a number to the precision of floats.

local cell = require('ffi').new 'float[1]'

return function(v)
   cell[0] = v
   return cell[0]
end
