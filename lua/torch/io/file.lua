-- torch.File, torch.DiskFile, torch.PipeFile and torch.MemoryFile: files, whose state is a stream. Their classes differ
-- in how files are opened. Methods that read and write are in file_elements.lua and serialize.lua.

local ffi = require 'ffi'
local class_registry, descriptor = require 'torch.base.class_registry', require 'torch.io.descriptor'
local errors, stream, types = require 'torch.base.errors', require 'torch.io.stream', require 'torch.base.types'
local fail = stream.fail

local file = {}

local states = setmetatable({}, { __mode = 'k' })     -- file object -> stream

function file.stream(object, method)
   local s = states[object]
   if not s then errors.argument_error(method, 0, 'a torch.File', object) end
   return s
end

local function opened(object, method)
   local s = file.stream(object, method)
   if s.closed then errors.raise('%s: the file %s is closed', method, s.name) end
   if s.storage then s.backend.refresh(s) end
   return s
end

local function opened_for(use, other)
   return function(object, method)
      local s = opened(object, method)
      if not s[use] then errors.raise('%s: the file %s is open for %s only', method, s.name, other) end
      return s
   end
end

file.readable, file.writable = opened_for('readable', 'writing'), opened_for('writable', 'reading')

-- Closes a file that is no longer referenced. The prototype of a class has no stream.
function file.collect(object)
   local s = states[object]
   if s and not s.closed then
      s.closed = true
      pcall(s.backend.close, s)
   end
end

function file.attach(object, s)
   states[object] = s
   return object
end

-- Flushes a stream under noBuffer.
function file.written(s)
   if s.unbuffered then s.backend.flush(s) end
end

-- Methods that set a flag of the stream and return the file, and methods that return a flag.
local function add_flags(methods)
   for name, setting in next, {
      ascii = { 'binary', false }, binary = { 'binary', true },
      quiet = { 'quiet', true }, pedantic = { 'quiet', false },
      autoSpacing = { 'spacing', true }, noAutoSpacing = { 'spacing', false },
      clearError = { 'failed', false },
   } do
      local field, value = setting[1], setting[2]
      methods[name] = function(object)
         opened(object, name)[field] = value
         return object
      end
   end
   for name, field in next, {
      isBinary = 'binary', isQuiet = 'quiet', isAutoSpacing = 'spacing', isReadable = 'readable',
      isWritable = 'writable', hasError = 'failed',
   } do
      methods[name] = function(object) return file.stream(object, name)[field] end
   end
end

local function add_positions(methods)
   function methods.position(object) return stream.position(opened(object, 'position')) end

   function methods.seek(object, position)
      local s = opened(object, 'seek')
      position = errors.integer('seek', 1, position)
      if position < 1 then errors.argument('seek', 1, 'must be a position of at least 1 (got %.0f)', position) end
      s.backend.seek(s, position - 1)
      return object
   end

   function methods.seekEnd(object)
      local s = opened(object, 'seekEnd')
      local size = s.backend.size(s)
      if size then s.backend.seek(s, size) else fail(s, 'cannot seek in a pipe') end
      return object
   end

   function methods.synchronize(object)
      local s = opened(object, 'synchronize')
      s.backend.flush(s)
      return object
   end

   function methods.close(object)
      local s = opened(object, 'close')
      s.closed, s.reader, s.writer = true, nil, nil
      s.backend.close(s)
      return object
   end
end

-- Functions (methods, new) that define the methods of a class; new() makes an object without a stream.
local define = {}
file.define = define

function define.File(methods)
   file.methods = methods
   add_flags(methods)
   add_positions(methods)

   -- How many bytes a long takes in binary: 4, 8, or 0 for this machine's, which is 8.
   function methods.longSize(object, size)
      local s = file.stream(object, 'longSize')
      size = errors.integer('longSize', 1, size)
      if size ~= 0 and size ~= 4 and size ~= 8 then errors.argument_error('longSize', 1, '0, 4 or 8', size) end
      s.long_size = size
      return object
   end

   -- Sets whether objects are written once and referred to afterwards, as they are by default.
   function methods.referenced(object, on)
      opened(object, 'referenced').unreferenced = not on
      return object
   end

   function methods.isReferenced(object) return not file.stream(object, 'isReferenced').unreferenced end
end

-- Returns function(name, mode = 'r', quiet, new), which opens a file of a class and returns it with its stream. If that
-- fails, it returns nil when `quiet`, and raises otherwise; the file stays quiet. `what` and `action` are for messages,
-- `modes` lists the modes; start(name, mode) returns a stream, or nil and the reason.
local function opener(class, what, modes, action, start)
   local known = {}
   for mode in string.gmatch(modes, "'(%a+)'") do known[mode] = true end
   return function(name, mode, quiet, new)
      if type(name) == 'number' then name = tostring(name) end
      if type(name) ~= 'string' then errors.argument_error(class, 1, 'a ' .. what, name) end
      errors.reject_nul(class, 1, name)
      if mode == nil then mode = 'r' end
      if not known[mode] then errors.argument_error(class, 2, modes, mode) end
      if quiet ~= nil and type(quiet) ~= 'boolean' then errors.argument_error(class, 3, 'a boolean', quiet) end
      local s, reason = start(name, mode)
      if s then
         s.quiet = quiet or false
         return file.attach(new(), s), s
      end
      if quiet then return nil end
      errors.raise('%s: cannot %s: %s', class, string.format(action, name, mode), reason)
      return nil
   end
end

local open_file = opener('torch.DiskFile', 'name of a file', "'r', 'w' or 'rw'", 'open <%s> in mode %s',
   descriptor.open)
local open_pipe = opener('torch.PipeFile', 'shell command', "'r' or 'w'", 'run <%s>', descriptor.pipe)

-- Status and mode of a stream, as __tostring__ shows them.
local function state_of(s) return s.closed and 'closed' or 'open' end
local function mode_of(s) return (s.readable and 'r' or ' ') .. (s.writable and 'w' or ' ') end

-- A file of the operating system.
function define.DiskFile(methods, new)
   -- Opens a file for the library; returns it and its stream.
   function file.open(name, mode) return open_file(name, mode, false, new) end

   -- DiskFile(name [, mode [, quiet]]): the mode is 'r' (the default), 'w' or 'rw'.
   function methods.new(name, mode, quiet) return (open_file(name, mode, quiet, new)) end
   methods.__gc = file.collect

   local function encode(name, swapped)
      methods[name] = function(object)
         opened(object, name).swap = swapped
         return object
      end
   end
   encode('nativeEndianEncoding', false)
   encode('littleEndianEncoding', false)
   encode('bigEndianEncoding', true)

   function methods.isLittleEndianCPU() return true end
   function methods.isBigEndianCPU() return false end

   -- Disables buffering from now on.
   function methods.noBuffer(object)
      local s = opened(object, 'noBuffer')
      s.unbuffered = true
      s.backend.flush(s)
      return object
   end

   function methods.__tostring__(object)
      local s = file.stream(object, '__tostring__')
      local class = class_registry.typename(object)
      return class .. ' on <' .. s.name .. '> [status: ' .. state_of(s) .. ' -- mode'
         .. (class == 'torch.PipeFile' and ': ' or ' ') .. mode_of(s) .. ']'
   end
end

-- The output or input of a shell command. Inherits the methods of torch.DiskFile.
function define.PipeFile(methods, new)
   -- PipeFile(command [, mode [, quiet]]): the mode is 'r' (the default) or 'w'.
   function methods.new(command, mode, quiet) return (open_pipe(command, mode, quiet, new)) end
   methods.__gc = file.collect
end

-- A file in a CharStorage, which ends in a NUL that is not part of the file.
function define.MemoryFile(methods, new)
   local Char = types.by_name.Char

   -- A memory file for the library with a given stream.
   function file.over(s) return file.attach(new(), s) end

   -- MemoryFile([mode]), MemoryFile(storage [, mode]): the mode is 'r', 'w' or 'rw', by default 'rw'.
   function methods.new(first, second)
      local storage, mode = nil, first
      if first ~= nil and ffi.istype(Char.storage_ct, first) then storage, mode = first, second end
      if mode == nil then mode = 'rw' end
      if mode ~= 'r' and mode ~= 'w' and mode ~= 'rw' then
         errors.argument_error('torch.MemoryFile', storage and 2 or 1, "'r', 'w', 'rw' or a torch.CharStorage", mode)
      end
      if storage then
         local size = storage._memory._size
         if size == 0 or storage[size] ~= 0 then errors.argument('torch.MemoryFile', 1, 'must end in a NUL') end
      end
      local s = stream.over_storage(storage, 'torch.MemoryFile', mode ~= 'w', mode ~= 'r')
      return file.attach(new(), s)
   end

   -- A CharStorage that shares the file's memory, with the NUL at its end.
   function methods.storage(object)
      local s = file.stream(object, 'storage')
      if s.closed then errors.raise('storage: the torch.MemoryFile is closed') end
      return stream.storage(s)
   end

   function methods.__tostring__(object)
      local s = file.stream(object, '__tostring__')
      return 'torch.MemoryFile [status: ' .. state_of(s) .. ' -- mode: ' .. mode_of(s) .. ']'
   end
end

return file
