-- Loading of the library's own modules: with Lua's globals as they were, from the library's folder, and, for what is
-- specialised, once more for each element type.
--
-- Legacy scripts redefine `type`, `next` and others, and modules that are loaded on first use must not see that.

local assert, loadfile, pairs, setfenv, type = assert, loadfile, pairs, setfenv, type
local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local searchpath = package.searchpath
local concat, getinfo, insert, package = table.concat, debug.getinfo, table.insert, package

local loader = {}

-- Lua's globals and libraries before any program ran. What modules write goes where programs send it, so io and os
-- are those of the programs.
local pristine = {}
local live = { _G = true, io = true, os = true, package = true }
for name, value in pairs(_G) do
   if type(value) == 'table' and not live[name] then
      local copy = {}
      for key, inner in pairs(value) do copy[key] = inner end
      value = copy
   end
   pristine[name] = value
end
loader.pristine = pristine

-- The folder of all modules of the library, with a slash at its end.
local library = match(getinfo(1, 'S').source, '^@(.*)torch[/\\]core[/\\]loader%.lua$')

local places = library .. '?.lua;' .. library .. '?/init.lua'

-- Packages of which the library has a part, written anew. One that is installed comes before it.
local PARTS = { pl = true, cjson = true }

-- Loads a module from outside of the library; nil where there is none.
local function load_elsewhere(name)
   local path, cpath, others = package.path, package.cpath, {}
   for template in gmatch(type(path) == 'string' and path or '', '[^;]+') do
      if sub(template, 1, #library) ~= library then others[#others + 1] = template end
   end
   local file = searchpath(name, concat(others, ';'))
   if file then return assert(loadfile(file)) end
   file = type(cpath) == 'string' and searchpath(name, cpath)
   return file and assert(package.loadlib(file, 'luaopen_' .. gsub(name, '%.', '_'))) or nil
end

-- Finds modules of the library whatever became of package.path. A program that has put a folder before ours may have
-- its own xlua there.
insert(package.loaders, 2, function(name)
   local found = searchpath(name, places)
   if not found then return end
   local path, inner = package.path, find(name, '^torch%f[%.%z]') or find(name, '^shell%.')
   local first = not inner and type(path) == 'string' and searchpath(name, path) or found
   local installed = PARTS[match(name, '^[^.]*')] and load_elsewhere(name)
   if installed then return installed end
   return first == found and setfenv(assert(loadfile(found)), pristine) or nil
end)

-- Runs the file of a module such as 'torch.ops.math' afresh and returns its value; package.loaded is not asked.
function loader.load(module)
   local file = searchpath(module, places) or assert(searchpath(module, package.path))
   return setfenv(assert(loadfile(file)), pristine)(module)
end

-- The part of a type that a module makes, which returns function(T). It is loaded anew for each type, because LuaJIT
-- compiles a function by its prototype: shared prototypes would share traces and lose the constants of the type.
function loader.specialise(module, T) return loader.load(module)(T) end

return loader
