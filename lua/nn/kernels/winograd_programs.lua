-- The transforms of Winograd's algorithm along a side, as programs over rows of elements: of six inputs, of gradients
-- of the outputs of a tile, and from six values to outputs. See winograd_kernels.lua.
--
--    winograd_programs.input, .gradient[tile], .output[tile]    lists of steps { operation, result, first, second }
--
-- Rows of the source are x0 to x5, which are overwritten, those of the result v0 to v5, and f is scratch; outputs
-- overwrite source rows: output i is in row output_rows[tile][i]. p1 is the point 3/4, q1 3/2, and p2 its square.
-- `stored` lists the result rows.

local P, Q = 3 / 4, 3 / 2

local programs = {
   constants = { p1 = P, q1 = Q, p2 = P ^ 2, q2 = Q ^ 2, p3 = P ^ 3, q3 = Q ^ 3 },
   output_rows = { [2] = { [0] = 0, 3 }, [3] = { [0] = 0, 3, 1 }, [4] = { [0] = 0, 3, 1, 4 } },
   gradient = {}, output = {},
}

local OPERATIONS = { ['+'] = 'add', ['-'] = 'subtract', ['*'] = 'multiply' }

local function parse(text, stored)
   local steps = { stored = stored }
   for z, x, sign, y in text:gmatch '(%w+) = (%w+) ?([-+*]?) ?(%w*)' do
      steps[#steps + 1] = { OPERATIONS[sign] or 'copy', z, x, y }
   end
   return steps
end

local VALUES = { 'v0', 'v1', 'v2', 'v3', 'v4', 'v5' }

-- x4 - p^2 x2 and q (x3 - p^2 x1); the value at 0, q^2 (p^2 x0 - x2) + x4 - p^2 x2, and that of infinity, x5 - p^2 x3 -
-- q^2 (x3 - p^2 x1); then x4 - q^2 x2 and p (x3 - q^2 x1).
programs.input = parse([[
   v3 = x2 * p2; v3 = x4 - v3; v4 = x1 * p2; v4 = x3 - v4
   x0 = x0 * p2; x0 = x0 - x2; x0 = x0 * q2; v0 = x0 + v3
   v5 = x3 * p2; v5 = x5 - v5; x5 = v4 * q2; v5 = v5 - x5
   x2 = x2 * q2; x4 = x4 - x2; x1 = x1 * q2; x3 = x3 - x1; x3 = x3 * p1
   v1 = x4 + x3; v2 = x4 - x3; x1 = v4 * q1; v4 = v3 - x1; v3 = v3 + x1
]], VALUES)

for tile, output_rows in pairs(programs.output_rows) do
   -- Output i is the sum of p^i (m1 +- m2) and q^i (m3 +- m4), minus for odd ones; the first has the value at 0 also,
   -- the last that of infinity.
   local text = 'f = x1 + x2; x2 = x1 - x2; x1 = x3 + x4; x4 = x3 - x4; x0 = x0 + f; x0 = x0 + x1; '
   if tile > 2 then text = text .. 'x1 = x1 * q2; f = f * p2; x1 = x1 + f; ' end
   text = text .. 'x3 = x4 * q1; f = x2 * p1; x3 = x3 + f; '
   if tile > 3 then text = text .. 'x2 = x2 * p3; x4 = x4 * q3; x4 = x4 + x2; ' end
   local stored, last = {}, 'x' .. output_rows[tile - 1]
   for i = 0, tile - 1 do stored[output_rows[i] + 1] = 'x' .. output_rows[i] end
   programs.output[tile] = parse(text .. ('%s = %s + x5'):format(last, last), stored)

   -- The transpose.
   local even = tile > 2 and 'v3' or 'x0'
   text = ('v0 = x0; v5 = x%d; '):format(tile - 1)
   if tile > 2 then text = text .. 'v3 = x2 * p2; v3 = x0 + v3; ' end
   text = text .. (tile > 3 and 'v4 = x3 * p2; v4 = x1 + v4; v4 = v4 * p1; ' or 'v4 = x1 * p1; ')
   text = text .. ('v1 = %s + v4; v2 = %s - v4; '):format(even, even)
   if tile > 2 then text = text .. 'x2 = x2 * q2; x0 = x0 + x2; ' end
   if tile > 3 then text = text .. 'x3 = x3 * q2; x1 = x1 + x3; ' end
   programs.gradient[tile] = parse(text .. 'x1 = x1 * q1; v3 = x0 + x1; v4 = x0 - x1', VALUES)
end

return programs
