-- Cells of recurrent networks: one step of a layer for a batch. From what the input and the last output give, ax and
-- ah, batch x (gates * hidden), forward makes the output h, and the state c of an LSTM; `kept` is for backward, which
-- makes the gradients at ax and ah, and what goes straight to the last output and state.

local torch = require 'torch'

local cells = {}

local function gate(a, i, hidden) return a:narrow(2, (i - 1) * hidden + 1, hidden) end

-- Gradient through a sigmoid or tanh with the output y.
local function through_sigmoid(d, y) return torch.cmul(d, y):cmul(y * -1 + 1) end
local function through_tanh(d, y) return torch.cmul(d, torch.cmul(y, y):mul(-1):add(1)) end

local function plain(squash, derivative)
   return {
      gates = 1,
      forward = function(ax, ah)
         local h = squash(ax + ah)
         return h, nil, { h }
      end,
      backward = function(kept, dh)
         local da = derivative(dh, kept[1])
         return da, da, nil, nil
      end,
   }
end

cells.RNNTanh = plain(torch.tanh, through_tanh)
cells.RNNReLU = plain(function(a) return a:cmax(0) end, function(d, y) return torch.cmul(d, y:gt(0):typeAs(y)) end)

-- Gates: input, forget, candidate, output.
cells.LSTM = {
   gates = 4, has_state = true,
   forward = function(ax, ah, _, c, hidden)
      local a = ax + ah
      local i, f = torch.sigmoid(gate(a, 1, hidden)), torch.sigmoid(gate(a, 2, hidden))
      local g, o = torch.tanh(gate(a, 3, hidden)), torch.sigmoid(gate(a, 4, hidden))
      local state = torch.cmul(f, c):addcmul(1, i, g)
      local squashed = torch.tanh(state)
      return torch.cmul(o, squashed), state, { i, f, g, o, c, squashed }
   end,
   backward = function(kept, dh, dc)
      local i, f, g, o, c, squashed = kept[1], kept[2], kept[3], kept[4], kept[5], kept[6]
      dc = dc + through_tanh(torch.cmul(dh, o), squashed)
      local da = torch.cat({
         through_sigmoid(torch.cmul(dc, g), i), through_sigmoid(torch.cmul(dc, c), f),
         through_tanh(torch.cmul(dc, i), g), through_sigmoid(torch.cmul(dh, squashed), o),
      }, 2)
      return da, da, nil, torch.cmul(dc, f)
   end,
}

-- Gates: reset, update, candidate.
cells.GRU = {
   gates = 3,
   forward = function(ax, ah, h, _, hidden)
      local r = torch.sigmoid(gate(ax, 1, hidden) + gate(ah, 1, hidden))
      local z = torch.sigmoid(gate(ax, 2, hidden) + gate(ah, 2, hidden))
      local recurrent = gate(ah, 3, hidden):clone()
      local n = torch.tanh(torch.cmul(r, recurrent):add(gate(ax, 3, hidden)))
      return torch.cmul(z, h):add(n):addcmul(-1, z, n), nil, { r, z, n, recurrent, h }
   end,
   backward = function(kept, dh)
      local r, z, n, recurrent, h = kept[1], kept[2], kept[3], kept[4], kept[5]
      local dn = through_tanh(torch.cmul(dh, z * -1 + 1), n)
      local dz = through_sigmoid(torch.cmul(dh, h - n), z)
      local dr = through_sigmoid(torch.cmul(dn, recurrent), r)
      return torch.cat({ dr, dz, dn }, 2), torch.cat({ dr, dz, torch.cmul(dn, r) }, 2), torch.cmul(dh, z), nil
   end,
}

return cells
