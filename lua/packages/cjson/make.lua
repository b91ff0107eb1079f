-- Makes a cjson module with separate settings. encode and decode call `failed(message)` for an error in the data.

local floor, format, getmetatable, newproxy = math.floor, string.format, getmetatable, newproxy
local decode, encode = require 'cjson.decode', require 'cjson.encode'
local check, raise = require 'torch.base.check', require('torch.base.errors').raise

-- JSON's null, since nil cannot be kept in a table.
local null = newproxy(true)
getmetatable(null).__tostring = function() return 'userdata: NULL' end

local function single_argument(name, ...)
   if select('#', ...) ~= 1 then raise('%s: takes 1 argument (got %d)', name, select('#', ...)) end
   return (...)
end

-- Makes a function that sets an integer within bounds in `settings`, and returns it.
local function count_setting(settings, name, key, minimum, maximum)
   return function(value)
      if value ~= nil then
         if type(value) ~= 'number' then check.argument_error(name, 'argument 1', 'a number', value) end
         value = floor(value)
         if value < minimum or value > maximum then
            check.argument_error(name, 'argument 1', format('a whole number from %d to %d', minimum, maximum), value)
         end
         settings[key] = value
      end
      return settings[key]
   end
end

-- Makes a function that sets true, 'on', false, 'off' or, if given, another word in `settings`, and returns it.
local function choice_setting(settings, name, key, word)
   return function(value)
      if value ~= nil then
         if value == 'on' or value == 'off' then value = value == 'on' end
         if type(value) ~= 'boolean' and value ~= word then
            check.argument_error(name, 'argument 1', word and format("true, false or '%s'", word) or 'true or false',
               value)
         end
         settings[key] = value
      end
      return settings[key]
   end
end

local MAX_INT32 = 2147483647

local function make(failed)
   local settings = {
      null = null, encode_depth = 1000, decode_depth = 1000, precision = 14, keep = true, invalid_out = false,
      invalid_in = true, convert = false, ratio = 2, safe = 10,
   }
   local cjson = { _NAME = 'cjson', _VERSION = '2.1devel', null = null }

   function cjson.new() return make(failed) end

   function cjson.encode(...)
      local ok, text = pcall(encode, single_argument('encode', ...), settings)
      if not ok then return failed(text) end
      return text
   end

   function cjson.decode(...)
      local text = single_argument('decode', ...)
      if type(text) == 'number' then text = tostring(text) end
      if type(text) ~= 'string' then check.argument_error('decode', 'argument 1', 'a string', text) end
      local ok, value = decode(text, settings)
      if not ok then return failed(value) end
      return value
   end

   cjson.encode_max_depth = count_setting(settings, 'encode_max_depth', 'encode_depth', 1, MAX_INT32)
   cjson.decode_max_depth = count_setting(settings, 'decode_max_depth', 'decode_depth', 1, MAX_INT32)
   cjson.encode_number_precision = count_setting(settings, 'encode_number_precision', 'precision', 1, 16)
   cjson.encode_keep_buffer = choice_setting(settings, 'encode_keep_buffer', 'keep')
   cjson.encode_invalid_numbers = choice_setting(settings, 'encode_invalid_numbers', 'invalid_out', 'null')
   cjson.decode_invalid_numbers = choice_setting(settings, 'decode_invalid_numbers', 'invalid_in')

   local set_convert = choice_setting(settings, 'encode_sparse_array', 'convert')
   local set_ratio = count_setting(settings, 'encode_sparse_array', 'ratio', 0, MAX_INT32)
   local set_safe = count_setting(settings, 'encode_sparse_array', 'safe', 0, MAX_INT32)
   function cjson.encode_sparse_array(convert, ratio, safe)
      return set_convert(convert), set_ratio(ratio), set_safe(safe)
   end
   return cjson
end

return make
