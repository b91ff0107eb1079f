-- Functions of Lua's libraries as Torch7's LuaJIT had them, with the additions of 5.2: __pairs and __ipairs, rawlen,
-- results of os.execute and of closed pipes, coroutine.running in the main chunk.

local ffi = require 'ffi'
local compile, length = require 'torch.language.compile', require 'torch.language.length'
local class_registry, key_order = require 'torch.base.class_registry', require 'torch.base.key_order'
local recursion = require 'torch.language.recursion'
local errors, libc = require 'torch.base.errors', require 'torch.native.libc'
local reject_nul = errors.reject_nul
local error, ipairs, next, pairs, rawget, setmetatable = error, ipairs, next, pairs, rawget, setmetatable
local tonumber, type, xpcall = tonumber, type, xpcall
local band, rshift = require('bit').band, require('bit').rshift
local format = string.format
local metatable_of = debug.getmetatable
local io, os, package = io, os, package

local standard = {}

local following, _, first = ipairs {}

-- The iterator of a value: by its metatable's `event`; of other tables step, t, start, where there is a step; of other
-- values plain(t).
local function overloaded(event, plain, step, start)
   return function(t)
      local metatable, kind = metatable_of(t), type(t)
      local f = metatable and (kind == 'table' or kind == 'userdata') and rawget(metatable, event)
      if f then
         local own_step, state, own_start = f(t)
         return own_step, state, own_start
      end
      if kind ~= 'table' or not step then return plain(t) end
      return step, t, start
   end
end

-- Where `next` has not the order of Torch7, `pairs` sorts the keys.
local overloaded_pairs = overloaded('__pairs', pairs, next)
if not key_order.native then overloaded_pairs = overloaded('__pairs', key_order.pairs) end
local overloaded_ipairs = overloaded('__ipairs', ipairs, following, first)

-- The length of a table or string, ignoring its metatable.
local function rawlen(value)
   local kind = type(value)
   if kind ~= 'table' and kind ~= 'string' then error("bad argument #1 to 'rawlen' (table or string expected)", 2) end
   return #value
end

-- Decodes a status of wait(2): true or nil, 'exit' or 'signal', and the code.
local function outcome(status)
   if ffi.os == 'Windows' then return status == 0 or nil, 'exit', status end
   local signal = band(status, 127)
   if signal ~= 0 then return nil, 'signal', signal end
   local code = band(rshift(status, 8), 255)
   return code == 0 or nil, 'exit', code
end
standard.outcome = outcome

local function add_processes(files)
   local execute, popen, close = os.execute, io.popen, files.close
   local pipes = setmetatable({}, { __mode = 'k' })

   function os.execute(command)
      local status = execute(command)
      if type(command) == 'nil' then return status ~= 0 end
      if status == -1 then return nil, ffi.string(libc.t7_strerror(ffi.errno())), ffi.errno() end
      return outcome(status)
   end

   function io.popen(...)
      local pipe, message, number = popen(...)
      if not pipe then return nil, message, number end
      pipes[pipe] = true
      return pipe
   end

   -- LuaJIT drops the status. C closes the pipe; its object, which begins with C's pointer, is marked as closed.
   function files.close(file)
      if type(file) == 'nil' or not pipes[file] or io.type(file) ~= 'file' then return close(file) end
      pipes[file] = nil
      local object = ffi.cast('void **', tonumber(format('%p', file)))
      if object[0] ~= ffi.cast('void *', file) then return close(file) end
      local status = libc.t7_pclose(object[0])
      object[0] = nil
      return outcome(status)
   end

   local close_any = io.close
   function io.close(file, ...)
      if type(file) ~= 'nil' and pipes[file] then return files.close(file) end
      if type(file) == 'nil' then return close_any() end
      return close_any(file, ...)
   end
end

-- Makes library functions reject names and commands that contain a NUL, as first and second arguments. Errors of the
-- originals name the function, since the calls are tail calls.
local function guard_names(library, label, names)
   for _, name in ipairs(names) do
      local original, full = library[name], label .. name
      library[name] = function(...)
         local from, to = ...
         reject_nul(full, 1, from)
         reject_nul(full, 2, to)
         return original(...)
      end
   end
end

-- `coroutine` is the program's table; the library has its own copy.
local function add_coroutines(coroutine)
   local running = coroutine.running
   -- LuaJIT has no object for the main coroutine; programs compare it and test for it.
   local main = coroutine.create(function() end)

   function coroutine.running()
      local current = running()
      if current then return current, false end
      return main, true
   end
end

local function worded(why)
   local text = errors.worded(why, 2)
   return text
end

local function pcall(f, ...) return xpcall(f, worded, ...) end

function standard.install(globals)
   globals.pcall = pcall
   for _, name in ipairs { 'load', 'loadstring', 'loadfile', 'dofile' } do globals[name] = compile[name] end
   globals.pairs, globals.ipairs, globals.rawlen = overloaded_pairs, overloaded_ipairs, rawlen
   globals.debug.setmetatable = length.setmetatable
   require('torch.language.stubs').install(globals)
   -- Tensors show the methods table of their class, as in Torch7, not that of all cdata.
   function globals.debug.getmetatable(...)
      if type((...)) == 'cdata' then return (class_registry.lua_getmetatable((...))) end
      return metatable_of(...)
   end
   package.searchers = package.loaders
   add_processes(metatable_of(io.stdout).__index)
   guard_names(io, 'io.', { 'open', 'lines', 'input', 'output', 'popen' })
   guard_names(os, 'os.', { 'remove', 'rename', 'execute' })
   recursion.limit_coroutines(globals.coroutine)
   recursion.limit_gsub(globals.string)
   add_coroutines(globals.coroutine)
end

return standard
