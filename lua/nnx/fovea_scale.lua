-- The parts of foveas that work on one scale of an image: a smaller image, and the window of it that a processor sees.

local torch = require 'torch'
local expect = require 'nn.expect'

local fovea_scale = {}

local NAMES = { 'nInputPlane', 'ratios', 'processors', 'preProcessors', 'fov', 'sub', 'bilinear' }

-- Raises unless there is a processor for each of some ratios.
function fovea_scale.check_ratios(name, ratios, processors)
   expect.kind(name, 'ratios', ratios, 'table')
   expect.kind(name, 'processors', processors, 'table')
   if #ratios == 0 or #ratios ~= #processors then
      expect.fail(name, 'each ratio must have a processor (got %d ratios and %d processors)', #ratios, #processors)
   end
   for i, ratio in ipairs(ratios) do expect.size(name, 'ratio ' .. i, ratio) end
end

-- Raises unless there is a gradient for the output of each scale.
function fovea_scale.check_gradients(self, gradOutput)
   expect.kind(self, 'gradOutput', gradOutput, 'table')
   for i = 1, #self.ratios do
      expect.same_size(self, ('gradOutput[%d]'):format(i), gradOutput[i], self.output[i])
   end
end

-- Checks the arguments of a constructor, or their table, and keeps them as fields.
function fovea_scale.keep(self, name, ...)
   local given = ...
   for i, field in ipairs(NAMES) do
      if type(given) == 'table' then self[field] = given[field] else self[field] = select(i, ...) end
   end
   expect.size(name, 'nInputPlane', self.nInputPlane)
   fovea_scale.check_ratios(name, self.ratios, self.processors)
   self.preProcessors = expect.kind(name, 'preProcessors', self.preProcessors or {}, 'table')
   self.fov, self.sub = expect.size(name, 'fov', self.fov), expect.size(name, 'sub', self.sub or 1)
   self.bilinear = self.bilinear or false
   if self.fov < self.sub then expect.refuse(name, 'fov', ('at least sub, %d'):format(self.sub), self.fov) end
end

-- The smaller image of scale i, after its preprocessor.
function fovea_scale.image(nn, self, i)
   local net, ratio = nn.Sequential(), self.ratios[i]
   net:add(ratio == 1 and nn.Identity() or nn.SpatialDownSampling(ratio, ratio))
   if self.preProcessors[i] then net:add(self.preProcessors[i]) end
   return net
end

-- A module that makes maps of a size that is set later, by fields oheight and owidth.
function fovea_scale.resampler(nn, self)
   return nn.SpatialReSamplingEx { owidth = 1, oheight = 1, mode = self.bilinear and 'bilinear' or 'simple' }
end

-- Looks at w x h outputs, those of the pixel in column x and row y first; without a pixel at the whole image.
local function focus(self, x, y, w, h)
   self.focused = x ~= nil and y ~= nil
   if self.focused then
      self.x, self.y = expect.size(self, 'x', x), expect.size(self, 'y', y)
      self.w = expect.size(self, 'w', w or 1)
      self.h = expect.size(self, 'h', h or self.w)
   end
   return self
end

-- Sets the sides of a padding so that a processor of `fov` and `sub` sees a whole map of width x height, or, if
-- `focused`, the window of w x h outputs. Returns the outputs in a row and in a column.
function fovea_scale.frame(self, padding, width, height, ratio, focused)
   local fov, sub = self.fov, self.sub
   local before = math.floor((fov - sub) / 2)
   local function sides(size, at, count)
      local outputs = math.floor(size / sub)
      if outputs < 1 then
         expect.fail(self, 'image is too small for the ratio %d (got %d pixels of it, less than sub)', ratio, size)
      end
      if not focused then return before, fov - sub - before, outputs end
      local first = math.min(math.floor((at - 1) / (ratio * sub)), outputs - 1) * sub
      return before - first, first - before + fov + (count - 1) * sub - size, count
   end
   local across, down
   padding.pad_l, padding.pad_r, across = sides(width, self.x, self.w)
   padding.pad_t, padding.pad_b, down = sides(height, self.y, self.h)
   return across, down
end

-- Width and height of an image, checked.
local function size_of(self, input)
   expect.own(self, input)
   expect.dimensions(self, 'input', input, 3, 3)
   if input:size(1) ~= self.nInputPlane then
      expect.refuse(self, 'input', ('%d maps'):format(self.nInputPlane), input)
   end
   local width, height = input:size(3), input:size(2)
   if self.focused and (self.x > width or self.y > height) then
      expect.fail(self, 'focus must be on a pixel of the image of %d x %d (got x %d and y %d)', height, width, self.x,
         self.y)
   end
   return width, height
end

local function text(self)
   local ratios = {}
   for i, ratio in ipairs(self.ratios) do ratios[i] = tostring(ratio) end
   return ('%s(%s, fov %d, sub %d%s)'):format(torch.type(self), table.concat(ratios, ' '), self.fov, self.sub,
      self.focused and (', focused on %d, %d'):format(self.x, self.y) or '')
end

-- Adds the methods that foveas have in common to a class with a method configure(width, height).
function fovea_scale.add_methods(Fovea, parent)
   Fovea.focus, Fovea.__tostring__ = focus, text

   function Fovea:updateOutput(input)
      self:configure(size_of(self, input))
      return parent.updateOutput(self, input)
   end
end

return fovea_scale
