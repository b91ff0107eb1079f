-- Masks of pictures from annotations in XML: polygons, as in LabelMe, or boxes, as in Pascal VOC.

local torch = require 'torch'
local check = require 'torch.base.check'

local annotations = {}

local function content(text, tag) return string.match(text, '<' .. tag .. '[^>]*>%s*(.-)%s*</' .. tag .. '>') end

-- Reads the objects of a file: a list of { name =, box = { left, top, right, bottom } or polygon = list of { x, y } }.
function annotations.read(function_name, path)
   local file, why = io.open(path)
   if not file then check.fail(function_name, 'cannot read %s: %s', path, why) end
   local text = file:read '*a'
   file:close()
   local objects = {}
   for part in string.gmatch(string.gsub(text, '<part>.-</part>', ''), '<object[^>]*>(.-)</object>') do
      local object = { name = content(part, 'name') or '' }
      local box, polygon = content(part, 'bndbox'), content(part, 'polygon')
      local function number(source, tag)
         return check.number(function_name, string.format('%s of an object in %s', tag, path), content(source, tag))
      end
      if box then
         object.box = { number(box, 'xmin'), number(box, 'ymin'), number(box, 'xmax'), number(box, 'ymax') }
      elseif polygon then
         object.polygon = {}
         for point in string.gmatch(polygon, '<pt>(.-)</pt>') do
            table.insert(object.polygon, { number(point, 'x'), number(point, 'y') })
         end
      end
      if (box or polygon) and content(part, 'deleted') ~= '1' then objects[#objects + 1] = object end
   end
   return objects
end

-- Fills the columns `from` to `to` of a row, clipped to the mask.
local function fill_row(mask, row, from, to, class)
   from, to = math.max(1, from), math.min(mask:size(2), to)
   if row >= 1 and row <= mask:size(1) and from <= to then mask[row]:narrow(1, from, to - from + 1):fill(class) end
end

-- Fills the pixels whose centers are in a polygon (even-odd rule), row by row.
local function fill_polygon(mask, polygon, class)
   for row = 1, mask:size(1) do
      local y, edges = row - 0.5, {}
      for i, a in ipairs(polygon) do
         local b = polygon[i % #polygon + 1]
         if (a[2] <= y) ~= (b[2] <= y) then
            edges[#edges + 1] = a[1] + (y - a[2]) / (b[2] - a[2]) * (b[1] - a[1])
         end
      end
      table.sort(edges)
      for i = 1, #edges - 1, 2 do
         fill_row(mask, row, math.ceil(edges[i] + 0.5), math.ceil(edges[i + 1] + 0.5) - 1, class)
      end
   end
end

-- A mask of height x width: the class of each pixel, an index into `names`; 1 where there is no object of these names.
function annotations.mask(objects, names, height, width)
   local mask, classes = torch.ones(height, width), {}
   for class, name in ipairs(names) do classes[name] = class end
   for _, object in ipairs(objects) do
      local class = classes[object.name]
      if class and object.polygon then
         fill_polygon(mask, object.polygon, class)
      elseif class then
         local left, top, right, bottom = unpack(object.box)
         for row = math.max(1, math.ceil(top)), math.min(height, math.floor(bottom)) do
            fill_row(mask, row, math.ceil(left), math.floor(right), class)
         end
      end
   end
   return mask
end

return annotations
