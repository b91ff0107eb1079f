-- A NumPy loop as a function: f(x, x_step, [y, y_step, [w, w_step,]] r, r_step, count) with pointers, steps in bytes,
-- and a count. Made from the pointers to the loop and its data, in any state.

local ffi = require 'ffi'
local loop_type, template = require 'torch.native.loop_type', require 'torch.jit.template'
local cast, concat = ffi.cast, table.concat

-- Arguments are written into arrays that are allocated once, after all pointers exist.
local source = [[
return function($parameters, count)
   local $pointers = $casts
   $args, $steps, dims[0] = $pointers, $given, count
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
   local function each(text)
      local list = {}
      for k = 0, inputs do list[k + 1] = (text:gsub('#', k)) end
      return concat(list, ', ')
   end
   return template.compile(name, source, { parameters = each 'x#, step#', pointers = each 'p#',
      casts = each 'cast(char_p, x#)', args = each 'args[#]', steps = each 'steps[#]', given = each 'step#' },
      { fn = cast(loop_type, fn), data = cast('void *', data), args = buffer('char *', 4), dims = buffer('intptr_t', 1),
         steps = buffer('intptr_t', 4), cast = cast, char_p = ffi.typeof 'char *' })
end
