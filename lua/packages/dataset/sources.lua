-- Where samples come from. sources.read(source) returns their items, a tensor or a list, and a list of labels for each,
-- nil if there are none. An item is a part of a tensor or the path of a file.

local torch, paths = require 'torch', require 'paths'
local check = require 'torch.base.check'

local sources = {}

-- Rejects URLs.
function sources.local_path(path)
   if string.find(path, '^%a[%w+.-]+://') then
      check.fail('dataset', '%s is on another machine; download it first, and name the file or folder here', path)
   end
   return path
end

-- Samples of a table { x = items, y = labels }.
local function of_table(source)
   local x, y = source.x, source.y
   if not torch.isTensor(x) and type(x) ~= 'table' or torch.isTensor(x) and x:dim() == 0 then
      check.argument_error('dataset', 'source.x', 'a tensor of items or a list of paths', x)
   end
   local count = torch.isTensor(x) and x:size(1) or #x
   if y == nil then return x end
   if torch.isTensor(y) then y = y:contiguous():view(-1):totable() end
   check.kind('dataset', 'source.y', y, 'table')
   if #y ~= count then check.fail('dataset', 'source.y must have a label for each of %d items (got %d)', count, #y) end
   local labels = {}
   for i = 1, count do labels[i] = { y[i] } end
   return x, labels
end

-- The columns of paths and of labels: those that a head names, else the first one and all others.
local function columns_of(row)
   local path, labels = nil, {}
   for i, cell in ipairs(row) do
      local name = string.lower(cell)
      if name == 'filename' or name == 'file' or name == 'path' then path = i end
      if string.find(name, '^label') then table.insert(labels, i) end
   end
   if path then return path, labels, 2 end
   for i = 2, #row do labels[i - 1] = i end
   return 1, labels, 1
end

-- Samples of a file of comma-separated values, whose paths are relative to its folder.
local function of_csv(path)
   local rows = require('csvigo').load { path = path, mode = 'raw', verbose = false, header = false }
   if #rows == 0 then return {} end
   local column, named, first = columns_of(rows[1])
   local items, labels, folder = {}, {}, paths.dirname(path)
   for i = first, #rows do
      local row, own = rows[i], {}
      for _, k in ipairs(named) do
         if row[k] and row[k] ~= '' then table.insert(own, row[k]) end
      end
      if not row[column] then check.fail('dataset', '%s: no path in row %d', path, i) end
      table.insert(items, paths.concat(folder, sources.local_path(row[column])))
      table.insert(labels, own)
   end
   return items, #named > 0 and labels or nil
end

local function sorted(folder, is)
   local found = {}
   for _, name in ipairs(paths.dir(folder)) do
      if not string.find(name, '^%.') and is(paths.concat(folder, name)) then table.insert(found, name) end
   end
   table.sort(found)
   return found
end

-- Samples of a folder: its index.csv, else the files in its folders, which are the labels, else its files.
local function of_folder(folder)
   local listed = paths.concat(folder, 'index.csv')
   if paths.filep(listed) then return of_csv(listed) end
   local items, labels = {}, {}
   for _, label in ipairs(sorted(folder, paths.dirp)) do
      local path = paths.concat(folder, label)
      for _, name in ipairs(sorted(path, paths.filep)) do
         table.insert(items, paths.concat(path, name))
         table.insert(labels, { label })
      end
   end
   if #items > 0 then return items, labels end
   for i, name in ipairs(sorted(folder, paths.filep)) do items[i] = paths.concat(folder, name) end
   return items
end

function sources.read(source)
   if torch.isTensor(source) then return of_table { x = source } end
   if type(source) == 'table' then return of_table(source) end
   check.kind('dataset', 'source', source, 'string')
   sources.local_path(source)
   if paths.dirp(source) then return of_folder(source) end
   if not paths.filep(source) then check.fail('dataset', 'there is no file or folder %s', source) end
   if not string.find(source, '%.t7$') then return of_csv(source) end
   local loaded = torch.load(source)
   if torch.type(loaded) ~= 'table' then check.argument_error('dataset', source, 'a table of x and y', loaded) end
   return of_table(loaded)
end

return sources
