-- SoftAttention{hiddenFeatures, subjectFeatures, subjectChoices, layerNormalization}: f(params, subject, h) scores the
-- choices of a subject, features x choices, by itself and a hidden state. It returns the mean of the choices by these
-- weights, and the weights.

local torch = require 'torch'
local tape = require 'autograd.tape'
local LayerNormalization = require 'autograd.module.LayerNormalization'
local nn = require('autograd.nnwrapper').functionalize 'nn'

return function(options, params)
   options, params = options or {}, params or {}
   local features, choices = options.subjectFeatures or 15, options.subjectChoices or 20
   local p = { W_att_subject = torch.zeros(1, 1, features),
      W_att_h = torch.zeros(options.hiddenFeatures or 10, choices) }
   local normalize
   if options.layerNormalization then
      local its
      normalize, its = LayerNormalization { nOutputs = choices }
      p.focus_ln_gain, p.focus_ln_bias = its[1].gain, its[1].bias
   else
      p.b_att = torch.zeros(1, choices)
   end
   params[#params + 1] = p
   local softmax = nn.SoftMax()

   local function f(parameters, subject, h)
      local its, single = parameters[1] or parameters, tape.unwrap(subject):dim() == 2
      if single then subject = torch.view(subject, 1, torch.size(subject, 1), torch.size(subject, 2)) end
      if tape.unwrap(h):dim() == 1 then h = torch.view(h, 1, torch.size(h, 1)) end
      local size = tape.unwrap(subject):size()
      local batch, n = size[1], size[3]
      local weights = torch.expand(its.W_att_subject, batch, 1, size[2])
      local scores = torch.view(torch.bmm(weights, subject), batch, n) + h * its.W_att_h
      if normalize then
         scores = normalize({ gain = its.focus_ln_gain, bias = its.focus_ln_bias }, scores)
      else
         scores = scores + torch.expand(its.b_att, batch, n)
      end
      local focus = softmax(scores)
      local weighted = torch.cmul(subject, torch.expand(torch.view(focus, batch, 1, n), size))
      local attention = torch.view(torch.sum(weighted, 3), batch, size[2])
      if single then attention, focus = torch.view(attention, size[2]), torch.view(focus, n) end
      return attention, focus
   end

   return f, params
end
