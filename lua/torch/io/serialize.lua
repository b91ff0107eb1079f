-- torch.save, torch.load, torch.serialize and the like: objects written to and read from files, strings and storages.

local ffi, getenv = require 'ffi', os.getenv
local accepted_options = require 'torch.base.accepted_options'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local file, file_formats = require 'torch.io.file', require 'torch.io.file_formats'
local host, notice = require 'torch.native.host', require 'torch.base.notice'
local object_format, object_reader, object_writer =
   require 'torch.io.object_format', require 'torch.io.object_reader', require 'torch.io.object_writer'
local progress, shared_conversion = require 'torch.base.progress', require 'torch.io.shared_conversion'
local stream, tensor_format = require 'torch.io.stream', require 'torch.io.tensor_format'
local types = require 'torch.base.types'
local begin_replacing, finish_replace = host.begin_replacing, host.finish_replace
local byte, find, format, gsub, lower, sub = string.byte, string.find, string.format, string.gsub, string.lower,
   string.sub

local serialize = {}

local modes = {
   ascii = { binary = false, long_size = 0 },
   binary = { binary = true, long_size = 0 },
   b32 = { binary = true, long_size = 4 },
   b64 = { binary = true, long_size = 8 },
}

local function mode_of(name, n, mode)
   local settings = modes[mode == nil and 'binary' or mode]
   if not settings then errors.argument_error(name, n, "'binary', 'ascii', 'b32', 'b64' or nil", mode) end
   return settings
end

local function set_mode(s, settings, referenced)
   s.binary, s.long_size, s.unreferenced = settings.binary, settings.long_size, referenced == false
end

-- Options of reading: { mode = 'ascii', referenced = false, unknown = 'keep', functions = false }. `unknown` is for
-- classes that are not defined: 'keep' makes tables of their fields; `functions = false` rejects files with functions;
-- `cuda`, 'float' or 'double', converts tensors of a device to tensors of the CPU; T7_LOAD_CUDA is its default.
local function read_options(name, mode, referenced)
   local cuda = getenv 'T7_LOAD_CUDA'
   if cuda == '' then cuda = nil end
   if type(mode) == 'table' and mode.cuda ~= nil then cuda = mode.cuda end
   if cuda and not shared_conversion.CPU_NAMES[cuda] then
      errors.raise("%s: the option 'cuda' must be 'float' or 'double' (got %s)", name, tostring(cuda))
   end
   if type(mode) ~= 'table' then return { settings = mode_of(name, 2, mode), referenced = referenced, cuda = cuda } end
   for key, value in pairs(mode) do
      if not accepted_options['torch.load'][key] then
         errors.raise("%s: options must be 'mode', 'referenced', 'unknown', 'functions' or 'cuda' (got '%s')", name,
            tostring(key))
      elseif key == 'unknown' and value ~= 'keep' then
         errors.raise("%s: the option 'unknown' must be 'keep' (got %s)", name, tostring(value))
      elseif key == 'functions' and type(value) ~= 'boolean' then
         errors.raise("%s: the option 'functions' must be true or false (got %s)", name, tostring(value))
      end
   end
   return { settings = mode_of(name, 2, mode.mode), referenced = mode.referenced, keep_unknown = mode.unknown == 'keep',
      no_functions = mode.functions == false, cuda = cuda }
end

local function set_options(s, options)
   set_mode(s, options.settings, options.referenced)
   s.keep_unknown, s.no_functions = options.keep_unknown, options.no_functions
end

-- The object that was read, converted to CPU tensors if requested.
local function as_asked(object, options)
   return options.cuda and shared_conversion.from_device(object, options.cuda) or object
end

local function write(s, object, settings)
   set_mode(s, settings)
   object_writer.write(file.over(s), s, object)
   tensor_format.write_names(s)
end

-- If more than trailing white space remains in a file, its object was not read as it was written. A tiny object is then
-- an error; for others a warning is printed.
local function check_rest(s, object)
   local left = s.backend.left(s)
   if not left or left == 0 then return end
   while not s.binary and stream.need(s, 1) and s.data[s.pos] <= 32 do s.pos = s.pos + 1 end
   left = s.backend.left(s)
   if left == 0 then return end
   local message = string.format('%s: the object ends at byte %.0f, but %.0f bytes follow', s.name,
      stream.position(s), left)
   local kind = class_registry.type(object)
   if kind == 'nil' or kind == 'number' or kind == 'boolean' or kind == 'string' then
      errors.raise('%s: the file is damaged, or not written in the mode in which it is read', message)
   end
   notice('warning: ' .. message)
end

local ESCAPES = { ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }

-- The bytes of a text as a literal of Python.
local function shown(text)
   return "b'" .. gsub(text, "[%z\1-\31'\\\127-\255]", function(character)
      return ESCAPES[character] or find(character, "['\\]") and '\\' .. character or format('\\x%02x', byte(character))
   end) .. "'"
end

-- Raises the error for a file that does not begin with the type of an object.
local function reject_other_file(s, name)
   stream.need(s, 64)
   local start = ffi.string(s.data + s.pos, math.min(64, s.limit - s.pos))
   local of = s.name == name and 'the string' or s.name
   local plain = gsub(gsub(start, '^\239\187\191', ''), '^%s+', '')
   for _, row in ipairs(file_formats.others) do
      local begin = sub(plain, 1, #row[1])
      if sub(start, 1, #row[1]) == row[1] or (sub(plain, 1, 1) == '<' and lower(begin) or begin) == row[1] then
         errors.raise('%s: %s is not a .t7 file: it is %s; %s', name, of, row[2], row[3])
      end
   end
   errors.raise('%s: %s is not a .t7 file: it begins with %s', name, of, shown(sub(start, 1, 8)))
end

-- Binary files start with a small four-byte number, ascii files with a line containing one.
local function check_mode(s, name)
   if s.limit < 2 and not stream.need(s, 2) then
      if s.backend.left(s) == 0 then
         errors.raise('%s: %s is not a .t7 file: it is empty', name, s.name == name and 'the string' or s.name)
      end
      return
   end
   local first, second = s.data[s.pos], s.data[s.pos + 1]
   if s.binary and first >= 48 and first <= 56 and (second == 10 or second == 13) then
      errors.raise("%s: %s is an ascii file: give 'ascii' as the mode", name, s.name)
   elseif not s.binary and first <= 8 and second == 0 then
      errors.raise("%s: %s is a binary file: give 'binary' as the mode", name, s.name)
   elseif s.binary and (first > 8 or second > 0 or stream.need(s, 4) and s.data[s.pos + 2] + s.data[s.pos + 3] > 0) then
      reject_other_file(s, name)
   end
end

local function read_whole(s, options, name)
   set_options(s, options)
   check_mode(s, name)
   local object = object_reader.read(file.over(s), s)
   tensor_format.read_names(s)
   check_rest(s, object)
   return as_asked(object, options)
end

-- Reads a file that could not be read again, with the 4-byte longs that 32-bit machines wrote. It is accepted only if
-- the object ends at the last byte.
local function read_32_bit(object_file, s)
   s.backend.seek(s, 0)
   s.long_size, s.reader = 4, nil
   local ok, object = object_reader.attempt(object_file, s)
   if ok and s.backend.left(s) == 0 then return true, object end
   return false
end

local function check_path(name, path)
   if type(path) == 'number' then path = tostring(path) end
   if type(path) ~= 'string' then errors.argument_error(name, 1, 'the name of a file', path) end
   return path
end

local function save(path, object, mode, referenced)
   local settings = mode_of('save', 3, mode)
   path = check_path('save', path)
   progress.step('saving', path)
   -- The existing file stays intact until its successor is complete.
   local temporary, full = begin_replacing(path)
   if not temporary then errors.raise('save: cannot write %s: %s', path, full) end
   local disk_file, s = file.open(temporary, 'w')
   s.name = path
   set_mode(s, settings, referenced)
   local ok, caught = object_writer.attempt(disk_file, s, object)
   if ok then tensor_format.write_names(s) end
   local closed, message = pcall(disk_file.close, disk_file)
   if not (ok and closed) then
      if temporary ~= path then os.remove(temporary) end
      if not ok then object_format.rethrow(caught) end
      errors.raise('save: %s', errors.without_position(message))
   end
   if temporary ~= path then
      local reason = finish_replace(temporary, path)
      if reason then errors.raise('save: cannot replace %s: %s', path, reason) end
   end
end

local function load(path, mode, referenced)
   local options = read_options('load', mode, referenced)
   path = check_path('load', path)
   progress.step('loading', path)
   local disk_file, s = file.open(path, 'r')
   set_options(s, options)
   s.total = s.backend.left(s)
   check_mode(s, 'load')
   local ok, object = object_reader.attempt(disk_file, s)
   if ok then
      tensor_format.read_names(s)
      check_rest(s, object)
   else
      local caught = object
      if s.binary and s.long_size == 0 and s.seekable then ok, object = read_32_bit(disk_file, s) end
      if not ok then
         disk_file:close()
         object_format.rethrow(caught)
      end
   end
   disk_file:close()
   return as_asked(object, options)
end

function serialize.install(torch)
   local methods = file.methods

   function methods.writeObject(object_file, object, name, hook)
      local s = file.writable(object_file, 'writeObject')
      object_writer.write(object_file, s, object, name, hook)
      file.written(s)
   end

   function methods.readObject(object_file)
      return object_reader.read(object_file, file.readable(object_file, 'readObject'))
   end

   -- The tag of the object in files, nil if it cannot be written.
   function methods.isWritableObject(_, object) return object_writer.tag_of(object) end

   torch.save, torch.load, torch.saveobj, torch.loadobj = save, load, save, load

   function torch.serialize(object, mode)
      local settings = mode_of('serialize', 2, mode)
      local s = stream.scratch('torch.MemoryFile')
      write(s, object, settings)
      local text = ffi.string(s.data, s.limit)
      stream.discard(s)
      return text
   end

   function torch.deserialize(text, mode)
      local options = read_options('deserialize', mode)
      if type(text) ~= 'string' then errors.argument_error('deserialize', 1, 'a string', text) end
      return read_whole(stream.over_string(text, 'deserialize'), options, 'deserialize')
   end

   -- The result of torch.serialize as a CharStorage.
   function torch.serializeToStorage(object, mode)
      local settings = mode_of('serializeToStorage', 2, mode)
      local s = stream.over_storage(nil, 'torch.MemoryFile', true, true)
      write(s, object, settings)
      return s.storage:resize(s.limit)
   end

   function torch.deserializeFromStorage(storage, mode)
      local options = read_options('deserializeFromStorage', mode)
      -- A CharTensor is read as its elements.
      if types.of_tensor(storage) == types.by_name.Char then storage = storage:clone():storage() end
      if types.of_storage(storage) ~= types.by_name.Char then
         errors.argument_error('deserializeFromStorage', 1, 'a torch.CharStorage', storage)
      end
      local s = stream.over_string(storage:string(), 'deserializeFromStorage')
      return read_whole(s, options, 'deserializeFromStorage')
   end
end

return serialize
