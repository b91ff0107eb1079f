-- pl.dir: the contents of folders, and making and removing them.

local lfs, path, utils = require 'lfs', require 'pl.path', require 'pl.utils'

local dir = {}

local function list_of(names)
   table.sort(names)
   return require('pl.List')(names)
end

-- Translates a shell pattern such as '*.lua' to a Lua pattern.
local function pattern_of(mask)
   return '^' .. string.gsub(string.gsub(utils.escape(mask), '%%%*', '.*'), '%%%?', '.') .. '$'
end

function dir.fnmatch(name, mask) return string.find(name, pattern_of(mask)) ~= nil end

function dir.filter(names, mask)
   local found, pattern = {}, pattern_of(mask)
   for _, name in ipairs(names) do
      if string.find(name, pattern) then found[#found + 1] = name end
   end
   return list_of(found)
end

local function entries(folder, wanted, pattern)
   local names = {}
   if not path.isdir(folder) then error('not a folder: ' .. folder, 3) end
   for name in lfs.dir(folder) do
      local full = path.join(folder, name)
      if name ~= '.' and name ~= '..' and wanted(full) and (not pattern or string.find(name, pattern)) then
         names[#names + 1] = full
      end
   end
   return list_of(names)
end

-- Lists the files of a folder, with its name before theirs; getdirectories lists its folders.
function dir.getfiles(folder, mask)
   return entries(folder or '.', path.isfile, mask and pattern_of(mask))
end

function dir.getdirectories(folder) return entries(folder or '.', path.isdir) end

-- Iterates over the values in the tables of a list.
local function unpacked(list)
   local following = utils.elements(list)
   return function() return unpack(following() or {}) end
end

local function walk_into(folder, visit, bottom_up)
   local folders, files = dir.getdirectories(folder), dir.getfiles(folder)
   local function names(list) return list:map(path.basename) end
   if not bottom_up then visit(folder, names(folders), names(files)) end
   for _, inner in ipairs(folders) do
      if not path.islink(inner) then walk_into(inner, visit, bottom_up) end
   end
   if bottom_up then visit(folder, names(folders), names(files)) end
end

-- Iterates over a folder and all below it: its name, the names of its folders, and of its files.
function dir.walk(root, bottom_up)
   local visits = {}
   walk_into(root, function(...) visits[#visits + 1] = { ... } end, bottom_up)
   return unpacked(visits)
end

-- Lists all files at and below a folder.
function dir.getallfiles(root, mask)
   local found, pattern = {}, mask and pattern_of(mask)
   for folder, _, files in dir.walk(root or '.') do
      for _, name in ipairs(files) do
         if not pattern or string.find(name, pattern) then found[#found + 1] = path.join(folder, name) end
      end
   end
   return list_of(found)
end

-- Iterates over all below a folder: name, and whether it is a folder.
function dir.dirtree(root)
   local found = {}
   for folder, folders, files in dir.walk(root) do
      for _, name in ipairs(folders) do found[#found + 1] = { path.join(folder, name), true } end
      for _, name in ipairs(files) do found[#found + 1] = { path.join(folder, name), false } end
   end
   return unpacked(found)
end

-- Makes a folder and those above it.
function dir.makepath(name)
   if name == '' or path.isdir(name) then return true end
   local ok, message = dir.makepath(path.dirname(name))
   if not ok then return nil, message end
   return lfs.mkdir(name)
end

-- Makes the folders of a tree in another place, and calls copy(from, to) for each file, if it is given. `verbose` is
-- true, or a function that prints. Returns true and lists of folders and of files that failed, or nil and a message.
function dir.clonetree(from, to, copy, verbose)
   utils.assert_string(1, from)
   utils.assert_string(2, to)
   if verbose == true then verbose = print end
   if not path.isdir(from) then return utils.raise 'source is not a valid directory' end
   from, to = path.abspath(path.normcase(from)), path.abspath(path.normcase(to))
   if from == to then return utils.raise 'paths are the same' end
   if string.sub(to, 1, #from + 1) == from .. path.sep then
      return utils.raise 'destination is a subdirectory of the source'
   end
   local failed_folders, failed_files = {}, {}
   for folder, _, files in dir.walk(from) do
      local target = to .. string.sub(folder, #from + 1)
      if not path.isdir(target) then
         local made = dir.makepath(target)
         if not made then table.insert(failed_folders, target) end
         if verbose then verbose('creating:', target, made) end
      end
      for _, name in ipairs(copy and files or {}) do
         local source, copied = path.join(folder, name), path.join(target, name)
         local ok = copy(source, copied)
         if not ok then table.insert(failed_files, copied) end
         if verbose then verbose('files:', source, copied, ok) end
      end
   end
   return true, failed_folders, failed_files
end

-- Removes a folder and all in it.
function dir.rmtree(root)
   if path.islink(root) then return nil, 'a symbolic link' end
   for folder, folders, files in dir.walk(root, true) do
      for _, name in ipairs(files) do
         local ok, message = os.remove(path.join(folder, name))
         if not ok then return nil, message end
      end
      for _, name in ipairs(folders) do
         if path.islink(path.join(folder, name)) then os.remove(path.join(folder, name)) end
      end
      local ok, message = lfs.rmdir(folder)
      if not ok then return nil, message end
   end
   return true
end

dir.copyfile = function(from, to, flag) return require('pl.file').copy(from, to, flag) end
dir.movefile = function(from, to) return require('pl.file').move(from, to) end

return dir
