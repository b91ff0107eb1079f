-- How `require` finds modules outside the library, and its message for missing ones. C modules need Lua's functions as
-- symbols of the process, which lupa does not export.

local compile, host = require 'torch.language.compile', require 'torch.native.host'
local searchpath = package.searchpath
local loaders, load_library = package.loaders, package.loadlib

-- `searches` counts the modules that were not loaded when they were required.
local modules = { searches = 0 }

local function file_of(name, path)
   return type(path) == 'string' and searchpath(name, path) or nil
end

-- Lua's loaders report all paths that they tried, so they are called only if a file exists.
local function preloaded(loader)
   return function(name)
      local preload = package.preload
      modules.searches = modules.searches + 1
      if type(preload) == 'table' and preload[name] == nil then return nil end
      return loader(name)
   end
end

local function from_lua(name)
   local path = package.path
   return type(path) == 'string' and compile.module(name, path) or nil
end

-- `part` is the pattern of the file's name: the whole name, or the part before its first dot.
local function from_c(loader, part)
   return function(name)
      if not file_of(string.match(name, part), package.cpath) then return nil end
      host.share_symbols()
      return loader(name)
   end
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
loaders[count + 1] = explain

function package.loadlib(file, name)
   host.share_symbols()
   return load_library(file, name)
end

require('torch.jit.loader').loadfile = compile.loadfile
require('shell.th_language').install()

return modules
