-- Where samples come from. sources.read(source) returns their items, a tensor or a list, a list of labels for each, nil
-- if there are none, and for folders and lists of files a table of the parts of files that are items,
-- { offset, length }. An item is a part of a tensor or the path of a file.

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

-- The columns of paths and of labels: those that a head names, else the first one and all others. A head may also name
-- those of offsets and lengths.
local function columns_of(row)
   local columns = { labels = {}, first = 2 }
   for i, cell in ipairs(row) do
      local name = string.lower(cell)
      if name == 'filename' or name == 'file' or name == 'path' then columns.path = i end
      if name == 'offset' or name == 'length' then columns[name] = i end
      if string.find(name, '^label') then table.insert(columns.labels, i) end
   end
   if columns.path then return columns end
   columns = { path = 1, labels = {}, first = 1 }
   for i = 2, #row do columns.labels[i - 1] = i end
   return columns
end

-- A function that gives the path of a file that a list names: in the current folder, else in that of the list. Where
-- a file `<list>-meta.csv` is beside the list, its second line names the folder.
local function path_of(list)
   local own, folder = paths.dirname(list), nil
   local meta = io.open((string.gsub(list, '%.%w+$', '')) .. '-meta.csv')
   if meta then
      meta:read '*l'
      folder = meta:read '*l'
      meta:close()
   end
   return function(name, is_part)
      name = sources.local_path(name)
      if not folder and not is_part and paths.filep(name) then return name end
      return sources.local_path(folder or own) .. '/' .. name
   end
end

local function before(a, b)
   for k = 1, 3 do
      if a[k] ~= b[k] then return a[k] < b[k] end
   end
   return a.row < b.row
end

-- Samples of a file of values that are separated by commas, or by tabs, in the order of their paths, which are relative
-- to its folder.
local function of_csv(path)
   local separator = string.find(path, '%.tsv$') and '\t' or ','
   local rows = require('csvigo').load { path = path, mode = 'raw', verbose = false, header = false,
      separator = separator }
   if #rows == 0 then return {} end
   local columns, full, found = columns_of(rows[1]), path_of(path), {}
   for i = columns.first, #rows do
      local row, own = rows[i], {}
      for _, k in ipairs(columns.labels) do
         if row[k] and row[k] ~= '' then table.insert(own, row[k]) end
      end
      local name = row[columns.path]
      if not name then check.fail('dataset', '%s: no path in row %d', path, i) end
      table.insert(found, { name, columns.offset and tonumber(row[columns.offset]) or 0,
         columns.length and tonumber(row[columns.length]) or 0, labels = own, row = i })
   end
   table.sort(found, before)
   local items, labels, extents = {}, {}, {}
   for i, one in ipairs(found) do
      items[i], labels[i] = full(one[1], columns.offset ~= nil), one.labels
      if columns.offset then extents[i] = { one[2], columns.length and one[3] } end
   end
   return items, labels, extents
end

-- Names in a folder in their order, without those that begin with a dot.
local function names_in(folder)
   local found = {}
   for _, name in ipairs(paths.dir(folder)) do
      if not string.find(name, '^%.') then table.insert(found, name) end
   end
   table.sort(found)
   return found
end

-- Adds the files below a folder. Without a label they have that of the folder inside in which they are, or none.
local function add_files(folder, label, items, labels)
   for _, name in ipairs(names_in(folder)) do
      local path = folder .. '/' .. name
      if paths.dirp(path) then
         add_files(path, label or name, items, labels)
      else
         table.insert(items, path)
         table.insert(labels, { label })
      end
   end
end

-- Samples of a folder: its index.csv, else the files below its folders, which are the labels, and its files.
local function of_folder(folder)
   local listed = paths.concat(folder, 'index.csv')
   if paths.filep(listed) then return of_csv(listed) end
   local items, labels = {}, {}
   add_files(folder, nil, items, labels)
   return items, labels, {}
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
