-- A loop of NumPy as a function: f(x, x_step, [y, y_step,] r, r_step, count) with pointers, steps in bytes, and a
-- count. Made from the pointers to the loop and its data, in any state.

local ffi = require 'ffi'
local loop_type, template = require 'torch.native.loop_type', require 'torch.jit.template'
local cast = ffi.cast

-- The arguments of a call are written into arrays that are made once, after all pointers are there.
local unary_source = [[
return function(x, x_step, r, r_step, count)
   local from, to = cast(char_p, x), cast(char_p, r)
   args[0], args[1], steps[0], steps[1], dims[0] = from, to, x_step, r_step, count
   fn(args, dims, steps, data)
end]]

local binary_source = [[
return function(x, x_step, y, y_step, r, r_step, count)
   local first, second, to = cast(char_p, x), cast(char_p, y), cast(char_p, r)
   args[0], args[1], args[2] = first, second, to
   steps[0], steps[1], steps[2], dims[0] = x_step, y_step, r_step, count
   fn(args, dims, steps, data)
end]]

-- The arrays as pointers: their addresses are constants in compiled code.
local arrays = {}

local function buffer(element, count)
   local array = ffi.new(element .. '[?]', count)
   arrays[#arrays + 1] = array
   return cast(element .. ' *', array)
end

return function(name, fn, data, inputs)
   return template.compile(name, inputs == 1 and unary_source or binary_source, nil, { fn = cast(loop_type, fn),
      data = data, args = buffer('char *', 4), dims = buffer('intptr_t', 1), steps = buffer('intptr_t', 4),
      cast = cast, char_p = ffi.typeof 'char *' })
end
