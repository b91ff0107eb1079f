-- torch.Generator: random number generators as objects, and the functions about their seeds and states.

local ffi = require 'ffi'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local mersenne_twister, types = require 'torch.random.mersenne_twister', require 'torch.base.types'
local istype = ffi.istype
local generator_ct = mersenne_twister.generator_ct
local Byte = types.by_name.Byte
local NAME = 'torch.Generator'

local generator = {}

local methods = {}

function methods.new() return mersenne_twister.new() end

local function check(g, name)
   if not istype(generator_ct, g) then errors.argument_error(name, 1, 'a ' .. NAME, g) end
end

local function check_file(file, name)
   if type(file) == 'nil' then errors.argument(name, 1, 'must be a file (got nil)') end
end

local function state_of(g, bytes)
   Byte.resize_to(bytes, { mersenne_twister.STATE_BYTES })
   local plain = Byte.contiguous(bytes)
   mersenne_twister.write_state(g, plain._memory._data + plain._offset)
   if plain ~= bytes then Byte.copy_from(bytes, Byte, plain) end
   return bytes
end

local function set_state(name, g, bytes)
   if bytes._dim == 0 or Byte.tensor_methods.nElement(bytes) ~= mersenne_twister.STATE_BYTES then
      errors.argument(name, 1, 'must be a state of %d bytes (got %.0f)', mersenne_twister.STATE_BYTES,
         Byte.tensor_methods.nElement(bytes))
   end
   local plain = Byte.clone(bytes)
   if not mersenne_twister.read_state(g, plain._memory._data + plain._offset) then
      errors.argument(name, 1, 'must hold the state of a generator')
   end
end

-- Writes the state to a file object, as Torch7 wrote it.
function methods.write(g, file)
   check(g, 'write')
   check_file(file, 'write')
   file:writeByte(Byte.tensor_methods.storage(state_of(g, Byte.new_tensor())))
end

-- Reads the state from a file object.
function methods.read(g, file)
   check(g, 'read')
   check_file(file, 'read')
   set_state('read', g, Byte.tensor_methods.new(file:readByte(mersenne_twister.STATE_BYTES)))
end

function methods.__tostring() return NAME end

methods.__index = methods

-- A missing field is nil, as in objects, not an error, as in C's structs.
local metatable = { __index = function(_, name) return methods[name] end, __tostring = methods.__tostring }
require('torch.tensor.undefined_operators').add(metatable)
types.metatype(generator_ct, metatable)
class_registry.add_cdata(NAME, function(object) return (istype(generator_ct, object)) end)

-- The generator of a call and its other argument: the generator may be left out.
local function split(name, count, first, second, ...)
   local g, value = mersenne_twister.default, first
   local given = type(second) ~= 'nil' and 2 or type(first) ~= 'nil' and 1 or 0
   if istype(generator_ct, first) then g, value, given = first, second, given - 1 end
   if given > count or select('#', ...) > 0 then
      errors.raise('%s: arguments must be [%s]%s (got more)', name, NAME, count > 0 and ' and one argument' or '')
   end
   return g, value
end

function generator.install(torch)
   torch.Generator = setmetatable({}, {
      __index = methods,
      __call = methods.new,
      __tostring = function() return NAME end,
   })
   class_registry.register(NAME, methods, torch.Generator, methods.new)
   torch._gen = mersenne_twister.default

   -- Seeds the generator.
   function torch.manualSeed(...)
      local g, seed = split('manualSeed', 1, ...)
      mersenne_twister.seed(g, errors.integer('manualSeed', 1, seed))
   end

   -- Seeds from the operating system's source of entropy, and returns the seed.
   function torch.seed(...)
      return mersenne_twister.fresh_seed((split('seed', 0, ...)))
   end

   -- The seed of the current stream.
   function torch.initialSeed(...)
      local g = split('initialSeed', 0, ...)
      if g.seeded == 0 then mersenne_twister.fresh_seed(g) end
      return g.seed
   end

   -- The state as a ByteTensor, in the given tensor if there is one.
   function torch.getRNGState(...)
      local g, result = split('getRNGState', 1, ...)
      if type(result) == 'nil' then result = Byte.new_tensor() end
      if types.of_tensor(result) ~= Byte then errors.argument_error('getRNGState', 1, 'a torch.ByteTensor', result) end
      return state_of(g, result)
   end

   -- Restores a state that getRNGState returned.
   function torch.setRNGState(...)
      local g, bytes = split('setRNGState', 1, ...)
      if types.of_tensor(bytes) ~= Byte then errors.argument_error('setRNGState', 1, 'a torch.ByteTensor', bytes) end
      set_state('setRNGState', g, bytes)
      return bytes
   end
end

return generator
