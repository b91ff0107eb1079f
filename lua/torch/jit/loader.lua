-- Loads the library's modules with pristine globals, as programs redefine `type` and others, from the library's
-- folder, and specialised code once more for each type. See docs/decisions/0004-code-per-element-type.md.

local ffi = require 'ffi'
local assert, error, loadfile, loadstring, pairs, pcall = assert, error, loadfile, loadstring, pairs, pcall
local require, setfenv, setmetatable, type = require, setfenv, setmetatable, type
local dump, find, format, gmatch, gsub = string.dump, string.find, string.format, string.gmatch, string.gsub
local match, open, sub = string.match, io.open, string.sub
local searchpath = package.searchpath
local concat, getinfo, insert, package = table.concat, debug.getinfo, table.insert, package
local jit = jit

local loader = {}

-- Lua's globals before any program ran. The library sees what a program puts into some fields of io and os, as output
-- goes where it directs it, and what was there before in place of what it deletes.
local pristine = {}
local shared = { _G = true, package = true }
local live = {
   io = { close = true, popen = true, read = true, stderr = true, stdin = true, stdout = true, write = true },
   os = { execute = true, exit = true },
}

local function copy_of(t)
   local copy = {}
   for key, value in pairs(t) do copy[key] = value end
   return copy
end

for name, value in pairs(_G) do
   if live[name] then
      local copy, program, seen = copy_of(value), value, live[name]
      value = setmetatable({}, { __newindex = program, __index = function(_, key)
         local current = seen[key] and program[key]
         return current or copy[key]
      end })
   elseif type(value) == 'table' and not shared[name] then
      value = copy_of(value)
   end
   pristine[name] = value
end
-- Methods of strings that a program deletes.
setmetatable(string, { __index = pristine.string })

-- Modules of LuaJIT are tables of functions as well.
ffi = copy_of(ffi)
local own = { bit = pristine.bit, ffi = ffi }
function pristine.require(name) return own[name] or require(name) end

-- LuaJIT does not let a finalizer change the modes of its compiler while a state is closed; the library's code loads
-- there as well. `true` stands for the function that calls.
for _, name in pairs { 'on', 'off', 'flush' } do
   local change = jit[name]
   pristine.jit[name] = function(f, ...)
      if f == true then f = getinfo(2, 'f').func end
      local ok, message = pcall(change, f, ...)
      if not ok and not find(message, '__gc', 1, true) then error(message, 2) end
   end
end

-- The folder of all modules of the library, with a trailing slash.
local library = match(getinfo(1, 'S').source, '^@(.*)torch[/\\]jit[/\\]loader%.lua$')

-- torch, nn and shell are in the library's folder, all other packages in `packages` below it.
local patterns = gsub('L?.lua;L?/init.lua;Lpackages/?.lua;Lpackages/?/init.lua', 'L', (gsub(library, '%%', '%%%%')))
loader.patterns = patterns

-- Packages tied to this library's tensors. An installed package, or one of the program, takes precedence over any
-- other.
local CORE = {}
for name in gmatch([[torch nn optim image nngraph graph xlua paths sys shell trepl cutorch cunn cudnn itorch
   lfs bit32]], '%w+') do
   CORE[name] = true
end

loader.loadfile = loadfile

-- Called with the file of another package that is loaded in place of ours; dispatch/original_packages.lua sets it.
function loader.replaced() end

-- The part of a path that is outside of the library.
local function outside_library(path)
   local others = {}
   for template in gmatch(type(path) == 'string' and path or '', '[^;]+') do
      if sub(template, 1, #library) ~= library then others[#others + 1] = template end
   end
   return concat(others, ';')
end

-- The file in Lua of a module, and whether it is the library's, by `path` or package.path: the one rule by which
-- `require`, torch.packageLuaPath, `include` and `t7 check` find packages. Those of the program, of LUA_PATH and of
-- LuaRocks come first; of the core, only where the program put them in front.
function loader.file_of(name, path)
   path = path or package.path
   local ours = searchpath(name, patterns)
   if not ours then return type(path) == 'string' and searchpath(name, path) or nil, false end
   local head, other = match(name, '^[^.]*'), nil
   if not CORE[head] then
      other = searchpath(name, outside_library(path))
   elseif head ~= 'torch' and head ~= 'shell' then
      other = type(path) == 'string' and searchpath(name, path)
   end
   if other and other ~= ours then return other, false end
   return ours, true
end

-- The file of a library in C that is installed under the name of one of our packages, else nil.
local function installed_library(name)
   local cpath = package.cpath
   return not CORE[match(name, '^[^.]*')] and type(cpath) == 'string' and searchpath(name, cpath) or nil
end

-- Why no file can be opened, such as too many open ones; nil if files can be opened.
local function cannot_open()
   local file, reason = open(library .. 'torch/jit/loader.lua')
   if not file then return match(reason, ': ([^:]*)$') or reason end
   file:close()
end

-- Calls f(...) as pcall does; base/uninterruptible.lua makes Ctrl-C wait meanwhile.
loader.protected = pcall

-- Removes the program's debug hook and returns a function that restores it: an error raised by a hook between `require`
-- and the module would leave the module marked as loading. See base/uninterruptible.lua.
local function nothing() end
function loader.suspend_hook() return nothing end

-- Modules that failed to load: out of memory, a missing file, or Ctrl-C.
local failed, loaded = {}, package.loaded

-- The value with which `require` marks a module while it is loaded, as this one is.
local LOADING = loaded[...]

-- Ignores repeated C declarations: the FFI keeps those of a failed attempt. base/types.lua sets metatables again.
local function tolerant(f)
   return function(...)
      local ok, result = pcall(f, ...)
      if not ok and not find(result, 'attempt to redefine') then error(result, 0) end
      return result
   end
end

-- Lets the next `require` of modules that failed to load try again; Lua's own would refuse from then on.
function loader.forget_failed()
   for name, value in pairs(loaded) do
      if value == LOADING then loaded[name] = nil end
   end
end

-- Runs the chunk of a module and marks the module as loaded, as `require` does, or as not loaded, with those that it
-- required: Ctrl-C and hooks may raise an error between here and `require`.
local function run(chunk, name)
   local cdef = ffi.cdef
   if failed[name] then ffi.cdef = tolerant(cdef) end
   local ok, result = pcall(chunk, name)
   ffi.cdef = cdef
   failed[name] = not ok or nil
   if not ok then loader.forget_failed()
   elseif type(result) ~= 'nil' then loaded[name] = result
   elseif loaded[name] == LOADING then loaded[name] = true
   end
   return ok, result
end

-- A loader that runs a chunk. If it fails, the next `require` tries again. The program's hook was removed if `require`
-- is about to call the loader.
local function undone_on_failure(chunk, release)
   return function(name)
      local ran, ok, result = loader.protected(run, chunk, name)
      release()
      if not (ran and ok) then error(ran and result or ok, 0) end
      return result
   end
end

-- The bytecode of files, by get(file) and put(file, code): the engine keeps it for other states and processes. The
-- first one loads its own, too, since compiling orders the fields of constant tables differently.
local function none() end
loader.cache = { get = none, put = none }

local function compile(file)
   local cache = loader.cache
   local code = cache.get(file)
   if not code then
      code = dump(assert(loadfile(file)))
      cache.put(file, code)
   end
   return setfenv(assert(loadstring(code)), pristine)
end

-- Finds modules of the library regardless of package.path. A program's folder before ours may have its own xlua.
insert(package.loaders, 2, function(name)
   if not searchpath(name, patterns) then
      local reason = cannot_open()
      if reason then error(format("require: cannot open the file of '%s': %s", name, reason), 0) end
      return
   end
   local found, ours = loader.file_of(name)
   if not ours then
      loader.replaced(found)
      return assert(loader.loadfile(found))
   end
   local installed = installed_library(name)
   if installed then return assert(package.loadlib(installed, 'luaopen_' .. gsub(name, '%.', '_'))) end
   return undone_on_failure(compile(found), getinfo(2, 'f').func == require and loader.suspend_hook() or nothing)
end)

-- Runs the file of a module such as 'torch.ops.math' afresh and returns its value; package.loaded is not asked.
function loader.load(module)
   local file = searchpath(module, patterns) or assert(searchpath(module, package.path))
   return compile(file)(module)
end

-- The library's module of a name, for the shell itself: it starts in any folder, whatever `require` finds there, and
-- leaves the name to the program if another module has it.
local own_modules = {}
function loader.own(name)
   local module = own_modules[name]
   if type(module) == 'nil' then
      local _, ours = loader.file_of(name)
      module = ours and not installed_library(name) and require(name) or loader.load(name)
      own_modules[name] = module
   end
   return module
end

-- Loads the specialisation of a module, which returns function(T), for a type. LuaJIT compiles a function by its
-- prototype: shared prototypes would share traces and lose the constants of the type.
function loader.specialise(module, T) return loader.load(module)(T) end

-- Aborts the traces that meet it: what loads once is not part of the path that gets hot. See
-- docs/decisions/0016-programs.md.
jit.off(loader.load)

return loader
