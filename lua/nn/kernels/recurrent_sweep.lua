-- One layer of a recurrent network over a whole sequence, in one direction, and back. The weights are
-- p = { W, R, bW, bR, P }: gates * hidden x inputs, gates * hidden x outputs, their biases (bR may be nil), and, for
-- outputs that are a projection, P, hidden x outputs. Any of them may be a view.

local torch = require 'torch'
local check = require 'torch.base.check'

local recurrent_sweep = {}

-- Zeros the samples of a step that its mask, batch x 1 bytes, selects.
local function clear(t, mask)
   if t then t:maskedFill(check.tensor('maskZero', 'mask', mask):expandAs(t), 0) end
end

-- x: length x batch x inputs, contiguous; h and c before the first step. `backwards` goes from the last step to the
-- first; masks[t], batch x 1 bytes, selects the samples whose output and state are zero at a step. The run has y, the
-- outputs; states, if the cell has any; last and state, those of the last step.
function recurrent_sweep.forward(cell, p, x, h, c, hidden, backwards, masks)
   local length, batch = x:size(1), x:size(2)
   local ax = torch.mm(x:view(length * batch, x:size(3)), p.W:t())
   ax:add(p.bW:view(1, -1):expandAs(ax))
   ax = ax:view(length, batch, -1)
   local y = x.new(length, batch, h:size(2))
   local run = { x = x, kept = {}, before = {}, raw = p.P and {}, backwards = backwards, masks = masks, y = y }
   run.states = cell.has_state and x.new(length, batch, hidden)
   for step = 1, length do
      local t = backwards and length + 1 - step or step
      run.before[t] = h
      h, c, run.kept[t] = cell.forward(ax[t], h, c, p, hidden)
      if p.P then
         run.raw[t] = h
         h = torch.mm(h, p.P)
      end
      if masks then
         clear(h, masks[t])
         clear(c, masks[t])
      end
      y[t]:copy(h)
      if c then run.states[t]:copy(c) end
   end
   run.last, run.state = h, c
   return run
end

-- The gradient at x from dy, the gradient of the outputs, and dh and dc, those of the last output and state, which may
-- be nil. The run has dbefore and dstate, the gradients at h and c before the first step.
function recurrent_sweep.backward(cell, p, run, dy, dh, dc)
   local length, batch, hidden = dy:size(1), dy:size(2), p.W:size(1) / cell.gates
   run.dax, run.dah = dy.new(length, batch, p.W:size(1)), dy.new(length, batch, p.W:size(1))
   run.dy = p.P and dy.new():resizeAs(dy)
   dh = dh or dy.new(batch, dy:size(3)):zero()
   dc = dc or dy.new(batch, hidden):zero()
   for step = length, 1, -1 do
      local t = run.backwards and length + 1 - step or step
      local d = dh + dy[t]
      if run.masks then
         clear(d, run.masks[t])
         dc = dc and dc:clone()
         clear(dc, run.masks[t])
      end
      if p.P then
         run.dy[t]:copy(d)
         d = torch.mm(d, p.P:t())
      end
      local dax, dah
      dax, dah, dh, dc = cell.backward(run.kept[t], d, dc, p)
      run.dax[t]:copy(dax)
      run.dah[t]:copy(dah)
   end
   run.dbefore, run.dstate = dh, dc
   return torch.mm(run.dax:view(length * batch, -1), p.W):view(length, batch, -1)
end

-- The rows of all steps: a list of batch x n as length * batch x n.
local function rows_of(list, like)
   local rows = like.new(#list, list[1]:size(1), list[1]:size(2))
   for t = 1, #list do rows[t]:copy(list[t]) end
   return rows:view(-1, rows:size(3))
end

-- Adds the gradients of the weights to d = { W, R, bW, bR, P }, which are tensors or views of them.
function recurrent_sweep.accumulate(cell, d, run, scale)
   local count = run.dax:size(1) * run.dax:size(2)
   local dax, dah = run.dax:view(count, -1), run.dah:view(count, -1)
   d.W:addmm(scale, dax:t(), run.x:view(count, -1))
   local before = rows_of(run.before, dax)
   if cell.gated then
      local hidden, gated = dah:size(2) / cell.gates, {}
      for t = 1, #run.kept do gated[t] = cell.gated(run.kept[t]) end
      local rows = dah:size(2) - hidden
      d.R:narrow(1, 1, rows):addmm(scale, dah:narrow(2, 1, rows):t(), before)
      d.R:narrow(1, rows + 1, hidden):addmm(scale, dah:narrow(2, rows + 1, hidden):t(), rows_of(gated, dax))
   else
      d.R:addmm(scale, dah:t(), before)
   end
   d.bW:add(scale, dax:sum(1):view(-1))
   if d.bR then d.bR:add(scale, dah:sum(1):view(-1)) end
   if d.P then d.P:addmm(scale, rows_of(run.raw, dax):t(), run.dy:view(count, -1)) end
end

return recurrent_sweep
