-- How `require` finds modules outside the library, and its message for missing ones. C modules need Lua's functions as
-- symbols of the process, which lupa does not export.

local compile, host = require 'torch.language.compile', require 'torch.native.host'
local loader = require 'torch.jit.loader'
local searchpath = package.searchpath
local loaders, load_library = package.loaders, package.loadlib

-- `searches` counts the modules that were not loaded when they were required.
local modules = { searches = 0 }

local function file_of(name, path)
   return type(path) == 'string' and searchpath(name, path) or nil
end

-- Lua's loaders report all paths that they tried, so they are called only if a file exists.
local function preloaded(search)
   return function(name)
      local preload = package.preload
      modules.searches = modules.searches + 1
      if type(preload) == 'table' and preload[name] == nil then return nil end
      return search(name)
   end
end

local function from_lua(name)
   local path = package.path
   return type(path) == 'string' and compile.module(name, path) or nil
end

-- `part` is the pattern of the file's name: the whole name, or the part before its first dot.
local function from_c(search, part)
   return function(name)
      if not file_of(string.match(name, part), package.cpath) then return nil end
      host.share_symbols()
      return search(name)
   end
end

-- A class or function that had a file of its own in a package's folder, as 'sys.fpath' and 'nn.Module', which programs
-- require: the package brings it. Files of classes returned nothing.
function modules.part_of_package(name)
   local folder, part = string.match(name, '^([%w_]+)%.([%w_]+)$')
   if not folder or not select(2, loader.file_of(folder)) then return nil end
   local ok, package_table = pcall(require, folder)
   local value = ok and type(package_table) == 'table' and package_table[part]
   if type(value) == 'function' then return function() return value end end
   return type(value) == 'table' and function() end or nil
end

-- Explains how to install a missing module.
local function explain(name)
   local ok, hint = pcall(function() return require 'shell.missing'(name) end)
   return '\n\tno file in package.path or package.cpath' .. (ok and '\n\t' .. hint or '')
end

local count = #loaders
loaders[1] = preloaded(loaders[1])
loaders[count - 2] = from_lua
loaders[count - 1] = from_c(loaders[count - 1], '.*')
loaders[count] = from_c(loaders[count], '^[^.]*')
loaders[count + 1] = modules.part_of_package
loaders[count + 2] = explain

function package.loadlib(file, name)
   host.share_symbols()
   return load_library(file, name)
end

loader.loadfile = compile.loadfile
require('shell.th_language').install()

return modules
