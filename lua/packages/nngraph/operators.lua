-- Calls and operators that make nodes: module(node), module{node, node}, module(), - module, node - module.

local torch = require 'torch'
local errors, nn = require 'torch.base.errors', require 'nn'

local operators = {}

local function is_node(value) return torch.isTypeOf(value, 'nngraph.Node') end

-- Raises for a value that is given where a node is expected.
function operators.reject(value, list, i)
   if value == nil then errors.raise('%s[%d] is nil (typo / bad index?)', list, i) end
   if torch.isTypeOf(value, 'nn.Module') or torch.isTypeOf(value, 'nn.Criterion') then
      errors.raise('%s[%d] is an nn.Module, specifically a %s, but the only valid thing to pass is an instance of '
         .. 'nngraph.Node: a second set of parentheses makes one of a module', list, i, torch.typename(value))
   end
   errors.raise('%s[%d] is not an nngraph.Node (got %s)', list, i, errors.describe(value))
end

-- Raises unless all elements of a list, which may have holes, are nodes.
function operators.check_nodes(list, name)
   for i = 1, table.maxn(list) do
      if not is_node(list[i]) then operators.reject(list[i], name, i) end
   end
end

-- A node for a module whose inputs are a node or a list of them; without an argument it has no inputs.
local function node_of(module, count, input)
   if count > 1 then errors.raise('Use {input1, input2} to pass multiple inputs (got %d arguments)', count) end
   local list = input
   if count == 1 then
      if type(input) ~= 'table' or torch.typename(input) then list = { input } end
      if input == nil then operators.reject(nil, 'inputs', 1) end
      if next(list) == nil then
         errors.raise('cannot pass an empty table of inputs. To indicate no incoming connections, leave the second '
            .. 'set of parens blank.')
      end
      operators.check_nodes(list, 'inputs')
   end
   local node = operators.nngraph.Node { module = module }
   for _, child in ipairs(list or {}) do node:add(child, true) end
   return node
end

local function holds_tensor(value)
   if torch.isTensor(value) then return true end
   return type(value) == 'table' and not torch.typename(value) and holds_tensor(value[1])
end

-- node - module is module(node); module1 - module2 is module2(module1()).
function operators.subtract(before, module)
   if torch.isTypeOf(before, 'nn.Module') then before = before() end
   if not torch.isTypeOf(module, 'nn.Module') and not torch.isTypeOf(module, 'nn.Criterion') then
      errors.raise('node - module: argument 2 must be a module (got %s)', errors.describe(module))
   end
   return module(before)
end

setmetatable(operators, { __call = function(_, nngraph)
   operators.nngraph = nngraph
   -- Tensors still go through the module, as without nngraph.
   local forward = nn.Module.__call__
   function nn.Module.__call__(module, ...)
      if holds_tensor((...)) then return forward(module, ...) end
      return node_of(module, select('#', ...), ...)
   end
   function nn.Module.__unm__(module) return module() end
   nn.Module.__sub__ = operators.subtract

   local compare = nn.Criterion.__call__
   function nn.Criterion.__call__(criterion, ...)
      if compare and holds_tensor((...)) then return compare(criterion, ...) end
      return node_of(nn.ModuleFromCriterion(criterion), select('#', ...), ...)
   end
end })

return operators
