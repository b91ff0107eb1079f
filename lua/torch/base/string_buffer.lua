-- String buffers, LuaJIT's own where this version has them.

local pcall, require, setmetatable = pcall, require, setmetatable
local concat, format = table.concat, string.format

local string_buffer = {}

local has_buffers, buffers = pcall(require, 'string.buffer')

if has_buffers then
   -- put(...), putf(format, ...), tostring(), reset() and free().
   function string_buffer.new() return buffers.new() end
   return string_buffer
end

local methods = {}
methods.__index = methods

function methods.put(pieces, piece)
   pieces[#pieces + 1] = piece
   return pieces
end

function methods.putf(pieces, ...)
   pieces[#pieces + 1] = format(...)
   return pieces
end

function methods.reset(pieces)
   for i = #pieces, 1, -1 do pieces[i] = nil end
   return pieces
end

methods.tostring, methods.free = concat, methods.reset

function string_buffer.new() return setmetatable({}, methods) end

return string_buffer
