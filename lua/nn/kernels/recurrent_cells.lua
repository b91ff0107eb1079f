-- Cells of recurrent networks: one step of a layer for a batch. `ax`, batch x (gates * hidden), comes from the input; h
-- and c are the previous output and, for an LSTM, the previous state; h is multiplied by p.R, plus p.bR if not nil.
--
--    forward(ax, h, c, p, hidden)   the output, the state, and what backward needs
--    backward(kept, dh, dc, p)      gradients at ax, at the product with R, at h and at c
--    gates                          how many matrices of hidden rows W and R have
--    gated(kept)                    what the last gate's rows of R are multiplied with where that is not h

local torch = require 'torch'

local recurrent_cells = {}

local function gate(a, i, hidden) return a:narrow(2, (i - 1) * hidden + 1, hidden) end

-- R h + b
local function recurrent(p, h)
   local ah = torch.mm(h, p.R:t())
   if p.bR then ah:add(p.bR:view(1, -1):expandAs(ah)) end
   return ah
end

-- Gradient through a sigmoid or tanh with the output y.
local function through_sigmoid(d, y) return torch.cmul(d, y):cmul(y * -1 + 1) end
local function through_tanh(d, y) return torch.cmul(d, torch.cmul(y, y):mul(-1):add(1)) end

local function plain(squash, derivative)
   return {
      gates = 1,
      forward = function(ax, h, _, p)
         local y = squash(recurrent(p, h):add(ax))
         return y, nil, { y }
      end,
      backward = function(kept, dh, _, p)
         local da = derivative(dh, kept[1])
         return da, da, torch.mm(da, p.R)
      end,
   }
end

recurrent_cells.RNNTanh = plain(torch.tanh, through_tanh)
recurrent_cells.RNNReLU = plain(function(a) return a:cmax(0) end,
   function(d, y) return torch.cmul(d, y:gt(0):typeAs(y)) end)

-- Gates in the order of the weights: input gate i, forget gate f, candidate g, output gate o.
local function lstm(order)
   return {
      gates = 4, has_state = true,
      forward = function(ax, h, c, p, hidden)
         local a = recurrent(p, h):add(ax)
         local i, f = torch.sigmoid(gate(a, order.i, hidden)), torch.sigmoid(gate(a, order.f, hidden))
         local g, o = torch.tanh(gate(a, order.g, hidden)), torch.sigmoid(gate(a, order.o, hidden))
         local state = torch.cmul(f, c):addcmul(1, i, g)
         local squashed = torch.tanh(state)
         return torch.cmul(o, squashed), state, { i, f, g, o, c, squashed }
      end,
      backward = function(kept, dh, dc, p)
         local i, f, g, o, c, squashed = kept[1], kept[2], kept[3], kept[4], kept[5], kept[6]
         dc = dc + through_tanh(torch.cmul(dh, o), squashed)
         local parts = {}
         parts[order.i], parts[order.f] = through_sigmoid(torch.cmul(dc, g), i), through_sigmoid(torch.cmul(dc, c), f)
         parts[order.g] = through_tanh(torch.cmul(dc, i), g)
         parts[order.o] = through_sigmoid(torch.cmul(dh, squashed), o)
         local da = torch.cat(parts, 2)
         return da, da, torch.mm(da, p.R), torch.cmul(dc, f)
      end,
   }
end

recurrent_cells.LSTM = lstm { i = 1, f = 2, g = 3, o = 4 }
recurrent_cells.SeqLSTM = lstm { i = 1, f = 2, o = 3, g = 4 }

-- Gates: reset, update, candidate. The reset gate scales the product with R.
recurrent_cells.GRU = {
   gates = 3,
   forward = function(ax, h, _, p, hidden)
      local ah = recurrent(p, h)
      local r = torch.sigmoid(gate(ax, 1, hidden) + gate(ah, 1, hidden))
      local z = torch.sigmoid(gate(ax, 2, hidden) + gate(ah, 2, hidden))
      local product = gate(ah, 3, hidden):clone()
      local n = torch.tanh(torch.cmul(r, product):add(gate(ax, 3, hidden)))
      return torch.cmul(z, h):add(n):addcmul(-1, z, n), nil, { r, z, n, product, h }
   end,
   backward = function(kept, dh, _, p)
      local r, z, n, product, h = kept[1], kept[2], kept[3], kept[4], kept[5]
      local dn = through_tanh(torch.cmul(dh, z * -1 + 1), n)
      local dz = through_sigmoid(torch.cmul(dh, h - n), z)
      local dr = through_sigmoid(torch.cmul(dn, product), r)
      local dah = torch.cat({ dr, dz, torch.cmul(dn, r) }, 2)
      return torch.cat({ dr, dz, dn }, 2), dah, torch.mm(dah, p.R):addcmul(1, dh, z)
   end,
}

-- Gates: reset, update, candidate. The reset gate scales the previous output before the product with R.
recurrent_cells.SeqGRU = {
   gates = 3,
   forward = function(ax, h, _, p, hidden)
      local rows = 2 * hidden
      local a = torch.mm(h, p.R:narrow(1, 1, rows):t()):add(ax:narrow(2, 1, rows)):sigmoid()
      local r, z = gate(a, 1, hidden):clone(), gate(a, 2, hidden):clone()
      local gated = torch.cmul(r, h)
      local n = torch.mm(gated, p.R:narrow(1, rows + 1, hidden):t()):add(gate(ax, 3, hidden)):tanh()
      return torch.cmul(z, h):add(n):addcmul(-1, z, n), nil, { r, z, n, gated, h }
   end,
   backward = function(kept, dh, _, p)
      local r, z, n, h = kept[1], kept[2], kept[3], kept[5]
      local hidden = h:size(2)
      local dn = through_tanh(torch.cmul(dh, z * -1 + 1), n)
      local dz = through_sigmoid(torch.cmul(dh, h - n), z)
      local dgated = torch.mm(dn, p.R:narrow(1, 2 * hidden + 1, hidden))
      local dr = through_sigmoid(torch.cmul(dgated, h), r)
      local da = torch.cat({ dr, dz, dn }, 2)
      local dbefore = torch.mm(da:narrow(2, 1, 2 * hidden), p.R:narrow(1, 1, 2 * hidden))
      return da, da, dbefore:addcmul(1, dh, z):addcmul(1, dgated, r)
   end,
   gated = function(kept) return kept[4] end,
}

return recurrent_cells
