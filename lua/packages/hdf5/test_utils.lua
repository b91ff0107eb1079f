-- hdf5._testUtils: helpers of the package's own tests, which those of programs use as well.

local torch = require 'torch'
local check, paths = require 'torch.base.check', require 'paths'

return function(hdf5)
   local utils = {}
   hdf5._testUtils = utils

   -- Calls f with the name of a new folder, which is removed afterwards.
   function utils.withTmpDir(f)
      check.callable('withTmpDir', 'argument 1', f)
      local folder = paths.tmpname()
      os.remove(folder)
      paths.mkdir(folder)
      local ok, why = pcall(f, folder)
      paths.rmall(folder, 'yes')
      if not ok then error(why, 0) end
   end

   -- Whether two values, nested tables too, have the same types and keys, and tensors that differ by at most epsilon in
   -- all; else false, the reason and the two that differ.
   function utils.deepAlmostEq(a, b, epsilon)
      if torch.type(a) ~= torch.type(b) then return false, 'type mismatch', a, b end
      if torch.type(a) == 'table' then
         for key in pairs(a) do
            if b[key] == nil then return false, 'mismatching table keys', a, b end
         end
         for key, value in pairs(b) do
            if a[key] == nil then return false, 'mismatching table keys', a, b end
            local same, why, first, second = utils.deepAlmostEq(a[key], value, epsilon)
            if not same then return false, why, first, second end
         end
      elseif torch.isTensor(a) then
         if not a:isSameSizeAs(b) then return false, 'tensors of other sizes', a, b end
         local difference = torch.csub(a:double(), b:double()):abs():sum()
         if not (difference <= epsilon) then
            return false, string.format('tensor values differ by %s > %s', difference, epsilon), a, b
         end
      end
      return true
   end
end
