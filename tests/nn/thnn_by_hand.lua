-- Functions of nn.THNN whose arguments are no fields of a module: called as the declarations of the library in C have
-- them, and compared with modules, with dense products and with numbers computed by hand.

require 'nn'
torch.manualSeed(5)
local agree = 0

local function same(name, got, wanted)
   if type(wanted) == 'table' and not torch.isTensor(wanted) then wanted = torch.Tensor(wanted) end
   assert(got:isSameSizeAs(wanted), name .. ': size')
   assert((got - wanted):abs():max() < 1e-12, name .. ': ' .. tostring(got))
   agree = agree + 1
end

local THNN = torch.Tensor().THNN
local function call(name, ...)
   local list = { ... }
   for i = 1, select('#', ...) do
      if torch.isTensor(list[i]) then list[i] = list[i]:cdata() end
   end
   THNN[name](unpack(list, 1, select('#', ...)))
end
local T, L = torch.Tensor, torch.LongTensor

-- Unpooling: the maxima of {{1, 2}, {3, 4}} back where they came from.
local y, gx = T(), T()
call('SpatialMaxUnpooling_updateOutput', T { { { 4 } } }, y, L { { { 4 } } }, 3, 2)
same('SpatialMaxUnpooling', y, { { { 0, 0, 0 }, { 4, 0, 0 } } })
local g = T { { { 1, 2, 3 }, { 4, 5, 6 } } }
call('SpatialMaxUnpooling_updateGradInput', T { { { 4 } } }, g, gx, L { { { 4 } } }, 3, 2)
same('SpatialMaxUnpooling gradInput', gx, { { { 4 } } })
for _, batch in ipairs { true, false } do
   local pool = nn.VolumetricMaxPooling(2, 2, 2)
   local unpool = nn.VolumetricMaxUnpooling(pool)
   local x = batch and torch.rand(2, 3, 4, 6, 8) or torch.rand(3, 4, 6, 8)
   local pooled = pool:forward(x)
   local wanted = unpool:forward(pooled):clone()
   call('VolumetricMaxUnpooling_updateOutput', pooled, y, pool.indices, 4, 8, 6, 2, 2, 2, 0, 0, 0)
   same('VolumetricMaxUnpooling', y, wanted)
   local grad = torch.rand(wanted:size())
   call('VolumetricMaxUnpooling_updateGradInput', pooled, grad, gx, pool.indices, 4, 8, 6, 2, 2, 2, 0, 0, 0)
   same('VolumetricMaxUnpooling gradInput', gx, unpool:backward(pooled, grad))
end

-- Linear upsampling: corners stay.
call('TemporalUpSamplingLinear_updateOutput', T { { { 0, 2, 8 } } }, y, 5)
same('TemporalUpSamplingLinear', y, { { { 0, 1, 2, 5, 8 } } })
call('TemporalUpSamplingLinear_updateGradInput', T { { { 1, 2, 3, 4, 5 } } }, gx, 1, 1, 3, 5)
same('TemporalUpSamplingLinear gradInput', gx, { { { 1 + 2 / 2, 2 / 2 + 3 + 4 / 2, 4 / 2 + 5 } } })
call('TemporalUpSamplingNearest_updateOutput', T { { { 0, 2, 8 } } }, y, 2)
same('TemporalUpSamplingNearest', y, { { { 0, 0, 2, 2, 8, 8 } } })
call('TemporalUpSamplingNearest_updateGradInput', T { { { 0, 2, 8 } } }, T { { { 1, 2, 3, 4, 5, 6 } } }, gx, 2)
same('TemporalUpSamplingNearest gradInput', gx, { { { 3, 7, 11 } } })
local x = torch.rand(2, 3, 4, 5)
local up = nn.SpatialUpSamplingBilinear { oheight = 9, owidth = 8 }
call('SpatialUpSamplingBilinear_updateOutput', x, y, 9, 8)
same('SpatialUpSamplingBilinear', y, up:forward(x))
local grad = torch.rand(2, 3, 9, 8)
call('SpatialUpSamplingBilinear_updateGradInput', grad, gx, 2, 3, 4, 5, 9, 8)
same('SpatialUpSamplingBilinear gradInput', gx, up:backward(x, grad))
x = torch.rand(2, 3, 4, 5, 3)
up = nn.UpSampling({ odepth = 6, oheight = 9, owidth = 8 }, 'linear')
call('VolumetricUpSamplingTrilinear_updateOutput', x, y, 6, 9, 8)
same('VolumetricUpSamplingTrilinear', y, up:forward(x))
grad = torch.rand(2, 3, 6, 9, 8)
call('VolumetricUpSamplingTrilinear_updateGradInput', grad, gx, 2, 3, 4, 5, 3, 6, 9, 8)
same('VolumetricUpSamplingTrilinear gradInput', gx, up:backward(x, grad))

-- Padding of lines.
call('TemporalReflectionPadding_updateOutput', T { { 1, 2, 3 } }, y, 2, 1)
same('TemporalReflectionPadding', y, { { 3, 2, 1, 2, 3, 2 } })
call('TemporalReplicationPadding_updateOutput', T { { 1, 2, 3 } }, y, 2, 1)
same('TemporalReplicationPadding', y, { { 1, 1, 1, 2, 3, 3 } })
call('TemporalReplicationPadding_updateGradInput', T { { 1, 2, 3 } }, T { { 1, 2, 3, 4, 5, 6 } }, gx, 2, 1)
same('TemporalReplicationPadding gradInput', gx, { { 6, 4, 11 } })

-- LookupTable: row 2 comes twice, row 3 is padding.
local gw = torch.zeros(3, 2)
local input, rows = L { 2, 1, 3, 2 }, T { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } }
call('LookupTable_accGradParameters', input, rows, gw, torch.IntTensor(), nil, nil, false, 3, 2)
same('LookupTable', gw, { { 6, 8 }, { 16, 20 }, { 0, 0 } })
call('LookupTable_accGradParameters', input, rows, gw:zero(), torch.IntTensor(), L(), L(), true, 0, 1)
same('LookupTable by frequency', gw, { { 3, 4 }, { 4, 5 }, { 5, 6 } })
local weight = T { { 3, 4 }, { 6, 8 }, { 30, 40 } }
call('LookupTable_renorm', L { 2, 1, 2 }, weight, 5, 2)
assert((weight - T { { 3, 4 }, { 3, 4 }, { 30, 40 } }):abs():max() < 1e-6)

-- SparseLinear: two samples as {row, column, value}, and as a batch in the older form.
local dense = T { { 0, 2, 0, 3 }, { 5, 0, 0, 0 } }
local w, b, out = torch.rand(3, 4), torch.rand(3), T(2, 3)
local lists = { T { { 1, 2, 2 }, { 1, 4, 3 }, { 2, 1, 5 } }, T { { { 2, 2 }, { 4, 3 } }, { { 1, 5 }, { 1, 0 } } } }
grad = torch.rand(2, 3)
for i, prefix in ipairs { 'SparseLinear_', 'SparseLinear_legacy' } do
   local function name(method) return prefix .. (i == 1 and method or method:gsub('^%l', string.upper)) end
   call(name 'updateOutput', lists[i], out, w, b)
   same('SparseLinear', out, dense * w:t() + b:view(1, 3):expand(2, 3))
   local gW, gB = torch.ones(3, 4), torch.zeros(3)
   call(name 'accGradParameters', lists[i], grad, gW, gB, w, b, 0.5, 2)
   same('SparseLinear gradWeight', gW, grad:t() * dense * 2 + w * 0.5 + 1)
   same('SparseLinear gradBias', gB, grad:sum(1):view(3) * 2)
   local w2, b2 = w:clone(), b:clone()
   call(name 'updateParameters', w2, b2, gW, gB, lists[i], 0.1)
   local step = gW * -0.1
   step:select(2, 3):zero()
   same('SparseLinear update', w2, w + step)
   same('SparseLinear update of the bias', b2, b - gB * 0.1)
   call(name 'zeroGradParameters', gW, gB, lists[i])
   same('SparseLinear zero', gW:sum(1):view(4):ne(0):double(), { 0, 0, 1, 0 })
end

-- IndexLinear: keys from 1, whose rows in C begin at 0.
local keys, values, sizes, sums = L { 2, 4, 1 }, T { 2, 3, 5 }, L { 2, 1 }, L { 2, 3 }
local wt = w:t():contiguous()
call('IndexLinear_updateOutput', keys, -1, values, sizes, sums, y, wt, b, T(), 1)
same('IndexLinear', y, dense * wt + b:view(1, 3):expand(2, 3))
local gW, gB = T(), torch.zeros(3)
call('IndexLinear_accGradParameters', keys, -1, values, sizes, sums, grad, gW, gB, wt, b, T(), 0, 2)
same('IndexLinear gradWeight', gW, torch.cat({ grad[1] * 4, grad[1] * 6, grad[2] * 10 }):view(3, 3))
local w2, b2 = wt:clone(), b:clone()
call('IndexLinear_updateParameters', gW, gB, w2, b2, keys, sums, -1, 0, 0.1)
same('IndexLinear update', w2, wt - dense:t() * grad * 0.2)
same('IndexLinear update of the bias', b2, b - grad:sum(1):view(3) * 0.2)
local w3, b3 = wt:clone(), b:clone()
call('IndexLinear_accUpdateGradParameters', keys, -1, values, sizes, sums, grad, w3, b3, 0, 0.2)
same('IndexLinear update at once', w3, w2)
same('IndexLinear update of the bias at once', b3, b2)

-- With normalisation: key 2 has seen values up to 4; key 1 sees its first, 5.
local wn = torch.zeros(2, 5)
wn:copy(T { { 0, 0, 0, 0, 3 }, { 4, 0.25, 1, 0.1, 2 } })
local normalized = T()
call('IndexLinear_updateOutput', L { 2, 1 }, -1, T { -2, 5 }, L { 2 }, L { 2 }, y, wn, T { 1 }, normalized, 1)
same('IndexLinear normalized', normalized, { -0.4, 1 })
same('IndexLinear of normalized values', y, { { 1 - 0.4 * 2 + 1 * 3 } })
same('IndexLinear weight', wn, { { 5, 0.2, 1, 0, 3 }, { 4, 0.25, 1, 0.1, 2 } })
local gn, gb = T(), T { 0 }
call('IndexLinear_accGradParameters', L { 2, 1 }, -1, normalized, L { 2 }, L { 2 }, T { { 10 } }, gn, gb, wn, T { 1 },
   T(), 0, 1)
same('IndexLinear gradients with normalisation', gn, { { 10, -4 }, { 10, 10 } })
call('IndexLinear_updateParameters', gn, gb, wn, T { 1 }, L { 2, 1 }, L { 2 }, -1, 0, 0.1)
same('IndexLinear update with normalisation', wn, { { 5, 0.2, 1, -3, 2 }, { 4, 0.25, 1, 0.1 - 2, 2.4 } })

-- Others.
call('GatedLinear_updateOutput', T { { 3, 0 } }, y, 2)
same('GatedLinear', y, { { 1.5 } })
call('GatedLinear_updateGradInput', T { { 3, 0 } }, T { { 2 } }, gx, 2)
same('GatedLinear gradInput', gx, { { 1, 3 * 0.25 * 2 } })
call('FeatureLPPooling_updateOutput', T { { 3, 4, 0 } }, y, 2, 2, 1, true)
same('FeatureLPPooling', y, { { 5, 4 } })
call('FeatureLPPooling_updateGradInput', T { { 5, 4 } }, T { { 3, 4, 0 } }, y, gx, 2, 2, 1, true)
same('FeatureLPPooling gradInput', gx, { { 3, 4 + 4, 0 } })
-- Regions of 2 in a line of 4, whose second is the last: the first begins at floor(sample).
x = T { { { 1, 5, 2, 3 }, { 4, 0, 7, 6 } } }
call('SpatialFractionalMaxPooling_updateOutput', x, y, 2, 1, 2, 2, L(), T { { { 0, 0 } } })
same('SpatialFractionalMaxPooling', y, { { { 5, 7 } } })
local map = L { { 1, 1 }, { 2, 1 } }:double()
x = T { { { 1 } }, { { 2 } } }
call('SpatialConvolutionMap_updateOutput', x, y, T { { { 10 } }, { { 100 } } }, T { 7 }, map, 2, 1, 1, 1)
same('SpatialConvolutionMap', y, { { { 217 } } })

print(agree)
