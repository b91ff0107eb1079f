-- RecurrentLSTMNetwork{inputFeatures, hiddenFeatures, outputType, batchNormalization, maxBatchNormalizationLayers}: the
-- columns of W are the input, forget and output gates and the new value.

local torch = require 'torch'
local common = require 'autograd.model.common'
local nn = require('autograd.nnwrapper').functionalize 'nn'

-- Normalizations of each step, with shared parameters, which begin at 0.1 and 0; later steps use the last.
local function add_normalizations(p, layers, hidden, max_layers)
   layers.lstm_bn, layers.cell_bn = {}, {}
   for i = 1, max_layers do
      local of_gates, of_cells
      layers.lstm_bn[i], of_gates = nn.BatchNormalization(4 * hidden)
      layers.cell_bn[i], of_cells = nn.BatchNormalization(hidden)
      if i == 1 then
         p.lstm_bn_1, p.lstm_bn_2 = of_gates[1]:fill(0.1), of_gates[2]:zero()
         p.cell_bn_1, p.cell_bn_2 = of_cells[1]:fill(0.1), of_cells[2]:zero()
      end
   end
end

return function(options, params)
   options, params = options or {}, params or {}
   local inputs, hidden = options.inputFeatures or 10, options.hiddenFeatures or 100
   local p, own_layers = { W = torch.zeros(inputs + hidden, 4 * hidden), b = torch.zeros(1, 4 * hidden) }, {}
   local normalized = options.batchNormalization
   if normalized then add_normalizations(p, own_layers, hidden, options.maxBatchNormalizationLayers or 10) end
   params[#params + 1] = p

   local function start(state, x, batch)
      return { h = state.h or common.zeros(x, batch, hidden), c = state.c or common.zeros(x, batch, hidden) }
   end

   local function layer(layers, name, t) return layers[name][t] or layers[name][#layers[name]] end

   local function step(its, x, state, batch, t, layers)
      layers = layers or own_layers
      local dots = torch.cat({ x, state.h }, 2) * its.W
      if normalized then
         dots = layer(layers, 'lstm_bn', t)({ its.lstm_bn_1, its.lstm_bn_2 }, dots)
      else
         dots = dots + torch.expand(its.b, batch, 4 * hidden)
      end
      dots = torch.view(dots, batch, 4, hidden)
      local gates = torch.sigmoid(torch.narrow(dots, 2, 1, 3))
      local value = torch.select(torch.tanh(torch.narrow(dots, 2, 4, 1)), 2, 1)
      local c = torch.cmul(torch.select(gates, 2, 2), state.c) + torch.cmul(torch.select(gates, 2, 1), value)
      if normalized then c = layer(layers, 'cell_bn', t)({ its.cell_bn_1, its.cell_bn_2 }, c) end
      return { h = torch.cmul(torch.select(gates, 2, 3), torch.tanh(c)), c = c }
   end

   return common.recurrent(hidden, options.outputType or 'last', start, step), params, own_layers
end
