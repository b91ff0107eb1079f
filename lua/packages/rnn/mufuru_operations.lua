-- The functions of { s, v } that nn.MuFuRu weighs: modules by their names, to which programs add their own.

local lazy_table = require 'torch.jit.lazy_table'
local nn = require 'nn'

local function minmax(Class)
   return nn.Sequential():add(nn.MapTable(nn.Unsqueeze(1))):add(nn.JoinTable(1)):add(nn[Class](1))
end

local factories = {
   max = function() return minmax 'Max' end,
   min = function() return minmax 'Min' end,
   keep = function() return nn.SelectTable(1) end,
   replace = function() return nn.SelectTable(2) end,
   mul = function() return nn.CMulTable() end,
   diff = function() return nn.CSubTable() end,
   forget = function() return nn.Sequential():add(nn.SelectTable(1)):add(nn.MulConstant(0)) end,
   sqrt_diff = function()
      return nn.Sequential():add(nn.CSubTable()):add(nn.Abs()):add(nn.Sqrt()):add(nn.MulConstant(0.25))
   end,
}

return lazy_table(function(name) return factories[name] and factories[name]() end)
