-- image.warp and image.affinetransform: images sampled at a field of positions.

local arguments, resample = require 'image.arguments', require 'image.resample'
local errors, buffers, torch = require 'torch.base.errors', require 'torch.memory.buffers', require 'torch'
local raise = errors.raise

local names = { 'simple', 'bilinear', 'bicubic', 'lanczos' }

local function check_padding(name, clamp, value)
   if value ~= nil and clamp ~= 'pad' then
      raise("%s: pad_value goes with clamp_mode 'pad' (got %s with '%s')", name, arguments.describe(value), clamp)
   end
end

local function run(name, r, x, field, mode, relative, clamp, value)
   arguments.image(name, x)
   if not torch.isTensor(field) or field:dim() ~= 3 or field:size(1) ~= 2 then
      raise('%s: field must be of sizes 2 x height x width (got %s)', name, arguments.describe(field))
   end
   mode = arguments.one_of(name, 'mode', mode, 'bilinear', names)
   clamp = arguments.one_of(name, 'clamp_mode', clamp, 'clamp', { 'clamp', 'pad' })
   check_padding(name, clamp, value)
   value = arguments.number(name, 'pad_value', value, 0)
   local is_matrix = x:dim() == 2
   if is_matrix then x = x:contiguous():view(1, x:size(1), x:size(2)) end
   r = (r and arguments.result(name, r, x) or x.new()):resize(x:size(1), field:size(2), field:size(3))
   local source = arguments.unaliased(x, r)
   field = field:double():contiguous()
   local g = resample.job('warp', r, x, mode)
   g.field, g.is_relative, g.is_padded = buffers.start(field), relative and 1 or 0, clamp == 'pad' and 1 or 0
   resample.run(g, r, source, value)
   buffers.keep_alive(field)
   -- As in the original, a given result has three dimensions then.
   return is_matrix and r[1] or r
end

-- The distances of n positions from the middle one, backwards.
local function from_middle(n)
   if n == 1 then return torch.zeros(1) end
   return torch.linspace(-1, 1, n):mul((n - 1) / 2):mul(-1)
end

return function(image)
   -- warp([r,] x, field [, mode [, relative [, clamp_mode [, pad_value]]]]): r[i][j] is x read at field[1][i][j] down
   -- and field[2][i][j] right, relative to (i, j) unless `relative` is false.
   function image.warp(...)
      local r, x, field, mode, relative, clamp, value = arguments.split(2, ...)
      if relative == nil then relative = true end
      return run('warp', r, x, field, mode, relative, clamp, value)
   end

   -- affinetransform([r,] x, matrix [, mode [, translation [, clamp_mode [, pad_value]]]]): positions, as (down, right)
   -- from the middle, are multiplied by the matrix and moved back by the translation.
   function image.affinetransform(...)
      local r, x, matrix, mode, translation, clamp, value = arguments.split(2, ...)
      arguments.image('affinetransform', x)
      if not torch.isTensor(matrix) or matrix:dim() ~= 2 or matrix:size(1) ~= 2 or matrix:size(2) ~= 2 then
         raise('affinetransform: matrix must be of size 2 x 2 (got %s)', arguments.describe(matrix))
      end
      local move_y, move_x = 0, 0
      if translation ~= nil then
         if not torch.isTensor(translation) or translation:nElement() ~= 2 then
            raise('affinetransform: translation must have 2 elements (got %s)', arguments.describe(translation))
         end
         local moves = translation:contiguous():view(-1)
         move_y, move_x = moves[1], moves[2]
      end
      local _, height, width = arguments.sizes(x)
      -- In the default type, as the original: distances from the outputs, of which warp takes floats.
      local grid = torch.Tensor(2, height, width)
      grid[1]:copy(from_middle(height):view(height, 1):expand(height, width))
      grid[2]:copy(from_middle(width):view(1, width):expand(height, width))
      local field = grid - torch.mm(matrix:typeAs(grid), grid:view(2, height * width)):view(2, height, width)
      field[1]:add(-move_y)
      field[2]:add(-move_x)
      return run('affinetransform', r, x, field, mode, true, clamp, value)
   end
end
