-- torch.isTensor, torch.pointer, environments, package directories, and functions for Torch7's C side.

local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local address_of, types = require('torch.native.native').address_of, require 'torch.base.types'
local compile, loader = require 'torch.language.compile', require 'torch.jit.loader'
local dofile, loadfile = compile.dofile, compile.loadfile
local ffi = require 'ffi'
local globals = _G
-- The tables that programs see.
local math, string, table = _G.math, _G.string, _G.table

local utility = {}

-- A number that identifies an object; for a storage, its buffer.
function utility.pointer(object)
   if types.of_storage(object) then return address_of(object._memory) end
   local kind = type(object)
   if kind == 'cdata' then return address_of(ffi.cast('void *', object)) end
   if kind == 'table' or kind == 'function' or kind == 'userdata' or kind == 'thread' or kind == 'string' then
      return (tonumber(string.format('%p', object)))
   end
   errors.argument_error('pointer', 1, 'an object with an address', object)
end

-- Environments of objects that cannot have one in Lua.
local environments = setmetatable({}, { __mode = 'k' })

local function add_questions(torch)
   function torch.isTensor(object) return types.of_tensor(object) ~= nil end

   function torch.isStorage(object) return types.of_storage(object) ~= nil end

   torch.pointer = utility.pointer

   -- Tells whether two objects are the same, storages by their memory. Values are never the same object.
   function torch.isequal(a, b)
      if class_registry.typename(a) and class_registry.typename(b) then
         return utility.pointer(a) == utility.pointer(b)
      end
      return type(a) == 'table' and rawequal(a, b)
   end

   -- The pointer to the elements of a tensor or storage, and the object itself as C sees it.
   for _, name in ipairs { 'data', 'cdata' } do
      torch[name] = function(object, ...)
         if not (types.of_tensor(object) or types.of_storage(object)) then
            errors.argument_error(name, 1, 'a tensor or storage', object)
         end
         return object[name](object, ...)
      end
   end

   function torch.isatty(file)
      local is_terminal = require('torch.io.descriptor').is_terminal
      if io.type(file) then return is_terminal(file) end
      return is_terminal(nil, require('torch.io.file').stream(file, 'isatty').file)
   end
end

local function add_environments(torch)
   local function check_owner(name, object)
      local kind = type(object)
      if kind ~= 'function' and kind ~= 'userdata' and kind ~= 'cdata' then
         errors.argument_error(name, 1, 'a function or object', object)
      end
   end

   function torch.getenv(object)
      check_owner('getenv', object)
      if type(object) == 'function' then return getfenv(object) end
      if type(object) == 'userdata' then return debug.getfenv(object) end
      return environments[object]
   end

   function torch.setenv(object, environment)
      check_owner('setenv', object)
      if type(environment) ~= 'table' then errors.argument_error('setenv', 2, 'a table', environment) end
      if type(object) == 'function' then
         setfenv(object, environment)
      elseif type(object) == 'userdata' then
         debug.setfenv(object, environment)
      else
         environments[object] = environment
      end
   end
end

local function folder_of(path) return string.match(path, '^(.*)[/\\]') end

local function add_packages(torch)
   -- The folder of a Lua package, no value if it is not found; without a name, the folder of all packages.
   function torch.packageLuaPath(name)
      if type(name) ~= 'nil' and type(name) ~= 'string' then
         errors.argument_error('packageLuaPath', 1, 'the name of a package', name)
      end
      local path = loader.file_of(type(name) == 'nil' and 'torch' or name)
      local folder = path and folder_of(path)
      if not folder then return end
      if name == nil then return folder_of(folder) end
      return folder
   end

   function torch.include(name, file)
      local folder = torch.packageLuaPath(name)
      if not folder then errors.raise("include: no package '%s'", tostring(name)) end
      return dofile(folder .. '/' .. file)
   end

   -- Runs a file beside the caller's, `depth` functions up; its chunk has an absolute name.
   function globals.include(file, depth)
      if type(file) ~= 'string' then errors.argument_error('include', 1, 'the name of a file', file) end
      local source = debug.getinfo(2 + (tonumber(depth) or 0), 'S').source
      local folder = string.sub(source, 1, 1) == '@' and folder_of(string.sub(source, 2))
      local path = string.sub(file, 1, 1) ~= '/' and folder and folder .. '/' .. file or file
      local chunk, message = loadfile(require('paths').concat(path))
      if not chunk then error(message, 2) end
      return chunk()
   end
end

-- Functions that programs call for Torch7's C side; this library does not need them.
local function add_accepted(torch)
   torch._heaptracking = false
   function torch.setheaptracking(on) torch._heaptracking = on and true or false end
   function torch.updateerrorhandlers() end
   function torch.updatethreadlocals() end
   -- An allocator may precede the other arguments of a storage.
   torch.Allocator = setmetatable({}, { __call = function() return { __allocator = true } end })
end

-- Names of Lua 5.0 and 5.2 that Torch7's LuaJIT had.
local function add_names_of_lua()
   local function pack(...) return { n = select('#', ...), ... } end
   for library, names in pairs {
      [table] = { unpack = unpack, pack = pack, getn = function(list) return #list end },
      [string] = { gfind = string.gmatch }, [math] = { mod = math.fmod },
   } do
      for name, f in pairs(names) do
         if library[name] == nil then library[name] = f end
      end
   end
end

function utility.install(torch)
   add_questions(torch)
   add_environments(torch)
   add_packages(torch)
   add_accepted(torch)
   add_names_of_lua()
end

return utility
