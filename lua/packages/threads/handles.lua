-- Objects that threads share: mutexes, conditions, counters and queues, each in memory that belongs to no state.
-- object:id() is the address of the memory, and threads.Mutex(id) makes another object for it, in any thread. The
-- memory is freed when all its objects have been freed by object:free(); an unknown id is an error.

local format, ipairs, setmetatable, type = string.format, ipairs, setmetatable, type
local ffi = require 'ffi'
local address_of, check = require('torch.native.native').address_of, require 'torch.base.check'
local errors = require 'torch.base.errors'
local libc, host = require 'torch.native.libc', require('torch.native.host').of 'threads'
local cast, istype, gc = ffi.cast, ffi.istype, require('torch.memory.finalizers').gc
-- Looked up first: when a state ends, Python functions outlive the objects that were created after them.
local release_user = host.release

if ffi.os == 'Windows' then errors.raise 'threads: needs POSIX threads, which Windows has not' end

local handles = {}

-- Returns the struct of an object; raises for a freed object and for other values.
local function struct_of(object, methods, pointer_ct, name)
   local struct = type(object) == 'table' and object.struct
   if istype(pointer_ct, struct) then return struct end
   if struct == false and type(object) == 'table' then check.fail(name, 'the %s was freed', methods.__handle) end
   return check.fail(name, 'a threads.%s must come before the colon (got %s)', methods.__handle,
      errors.describe(object))
end

-- Returns the methods of a class of such objects. `struct` declares their memory, init(struct, ...) initializes it, and
-- finish(struct) runs before it is freed. methods.struct(object, name) is an object's memory.
function handles.class(name, struct, init, finish)
   ffi.cdef(format('typedef struct { %s } t7_%s;', struct, name))
   local pointer_ct, bytes = ffi.typeof('t7_' .. name .. ' *'), ffi.sizeof('t7_' .. name)
   local methods = { __handle = name }
   methods.__index = methods

   function methods.struct(object, caller) return struct_of(object, methods, pointer_ct, name .. ':' .. caller) end

   local function wrap(memory) return setmetatable({ struct = memory }, methods) end

   -- An object with new memory.
   function methods.make(...)
      local memory = cast(pointer_ct, libc.t7_calloc(1, bytes))
      if cast('intptr_t', memory) == 0 then errors.raise('threads.%s: out of memory', name) end
      init(memory, ...)
      host.register(name, address_of(memory))
      return wrap(memory)
   end

   -- An object with the memory of an id, which is kept until all its objects are freed.
   function methods.with_id(id)
      check.kind('threads.' .. name, 'the id', id, 'number')
      if not host.retain(name, id) then errors.raise('threads.%s: no %s has the id %.0f', name, name, id) end
      return wrap(cast(pointer_ct, cast('intptr_t', id)))
   end

   function methods.new(id)
      if id == nil then return methods.make() end
      return methods.with_id(id)
   end

   function methods:id() return address_of(methods.struct(self, 'id')) end

   local function release(memory)
      if release_user(name, address_of(memory)) then
         finish(memory)
         libc.t7_free(memory)
      end
   end

   -- The object for an id that came with a job; it is released when the object is collected.
   function methods.borrow(id)
      local object = methods.with_id(id)
      object.struct = gc(object.struct, release)
      return object
   end

   function methods:free()
      local memory = gc(methods.struct(self, 'free'), nil)
      self.struct = false
      release(memory)
   end

   function methods:__tostring()
      return self.struct and format('threads.%s <%x>', name, self:id()) or format('threads.%s <freed>', name)
   end
   return methods
end

-- The public table of a class: `new`, `id`, `free`, `__tostring` and methods of these names; calling it makes objects.
function handles.public(methods, ...)
   local public = {}
   for _, key in ipairs { 'new', 'id', 'free', '__tostring', ... } do public[key] = methods[key] end
   return setmetatable(public, { __call = function(_, ...) return methods.new(...) end })
end

return handles
