-- Calling an element-wise program over operands that are not all contiguous (t7shell/native/strided.c).
-- strided[run](r, T, t, ...) computes a result r from operands of type T; `run` is a function of fused.make.

local concat, gsub, ipairs, setmetatable = table.concat, string.gsub, ipairs, setmetatable
local ffi = require 'ffi'
local fused, kernels = require 'torch.kernels.elementwise.fused', require 'torch.native.kernels'
local template = require 'torch.jit.template'

-- Operands whose sizes have no common loops are copied.
local source = [[
local function walk(r, T, $tensors)
$operands
   if lib.t7_run_strided(call, layouts) == 0 then return walk(r, T, $copies) end
   return r
end
return walk]]

local OPERAND = [[
   begin[AT] = cast(char_p, X._memory._data + X._offset)
   layouts[AT].size, layouts[AT].stride, layouts[AT].dims = X._size, X._stride, X._dim]]

return setmetatable({}, { __mode = 'k', __index = function(strided, run)
   local record = fused.records[run]
   local used, inputs = record.used, record.inputs
   local operands, copies = {}, {}
   for k, x in ipairs(inputs) do copies[k] = 'T.contiguous(' .. x .. ')' end
   for k = 0, #used do
      operands[k + 1] = gsub(gsub(OPERAND, 'AT', k), 'X', used[k + 1] or 'r')
   end
   local lib = kernels 'strided'
   strided[run] = template.compile('strided', source, { tensors = concat(inputs, ', '),
      operands = concat(operands, '\n'), copies = concat(copies, ', ') }, { call = record.call,
      begin = record.call.begin, layouts = ffi.new('t7_layout[?]', #used + 1), lib = lib, cast = ffi.cast,
      char_p = ffi.typeof 'char *' })
   return strided[run]
end })
