-- The fields that methods of Torch7's classes read without making them, by class: a network that is saved here runs
-- there only if its objects have them. Kinds: T tensor, L LongTensor, B ByteTensor, S LongStorage, n number, b boolean,
-- s string, t table, o object. Prints fields that are missing or differ after construction, and how many agree.

require 'nn'

local learned, criterion = 'weight:T gradWeight:T bias:T gradBias:T', 'sizeAverage:b'
local pair = 'gradInput:t gradInput.1:T gradInput.2:T'
local image = 'nInputPlane:n nOutputPlane:n kW:n kH:n dW:n dH:n '
local padded, volume = 'padW:n padH:n ', 'kT:n dT:n kW:n kH:n dW:n dH:n '
local deep = volume .. 'padT:n padW:n padH:n '
local dropout = 'p:n train:b noise:T stochastic_inference:b'
local fractional = 'poolSizeW:n poolSizeH:n outW:n outH:n'

local rows = {
   { 'Add(3)', 'bias:T gradBias:T _ones:T' },
   { 'AddConstant(2)', 'constant_scalar:n inplace:b' },
   { 'BatchNormalization(3)', learned .. ' affine:b eps:n momentum:n train:b running_mean:T running_var:T' },
   { 'Bilinear(2, 3, 4)', learned .. ' ' .. pair },
   { 'Bottle(nn.Linear(2, 3))', 'modules.1:o nInputDim:n nOutputDim:n dimDelta:n inShape:T outShape:T' },
   { 'CAdd(2, 3)', 'bias:T gradBias:T size:S' },
   { 'CMul(2, 3)', 'weight:T gradWeight:T size:S' },
   { 'CAddTable()', 'gradInput:t' }, { 'CSubTable()', 'gradInput:t' },
   { 'CMulTable()', 'gradInput:t' }, { 'CDivTable()', 'gradInput:t' },
   { 'CMaxTable()', 'gradInput:t maxIdx:T mask:T maxVals:T gradMaxVals:T' },
   { 'CMinTable()', 'gradInput:t minIdx:T mask:T minVals:T gradMaxVals:T' },
   { 'CReLU(1)', 'nInputDims:n inplace:b modules:t' },
   { 'Clamp(-1, 1)', 'min_val:n max_val:n inplace:b' },
   { 'Collapse(2)', 'nInputDim:n' },
   { 'Concat(1)', 'dimension:n outputSize:S modules:t' },
   { 'DepthConcat(1)', 'dimension:n outputSize:S modules:t' },
   { 'ConcatTable()', 'modules:t output:t' },
   { 'Constant(2)', 'value:T' },
   { "Convert('bf', 'bf')", 'inputShape:s outputShape:s' },
   { 'Cosine(2, 3)', 'weight:T gradWeight:T' },
   { 'CosineDistance()', pair },
   { 'DotProduct()', pair },
   { 'Dropout()', dropout .. ' v2:b' },
   { 'SpatialDropout()', dropout }, { 'VolumetricDropout()', dropout },
   { 'ELU()', 'alpha:n inplace:b' },
   { 'Euclidean(2, 3)', 'weight:T gradWeight:T fastBackward:b' },
   { 'FeatureLPPooling(2, 2, 2)', 'width:n stride:n power:n batch_mode:b' },
   { 'FlattenTable()', 'output:t input_map:t gradInput:t' },
   { 'GatedLinearUnit(2)', 'dim:n' },
   { 'GradientReversal()', 'lambda:n' },
   { 'HardShrink()', 'lambda:n' }, { 'SoftShrink()', 'lambda:n' },
   { 'HardTanh()', 'min_val:n max_val:n inplace:b' },
   { 'Index(1)', 'dimension:n gradInput:t gradInput.1:T gradInput.2:T' },
   { 'IndexLinear(3, 2)', learned .. [[ inputSize:n outputSize:n normalize:n offset:n weightDecay:n doGradInput:b
      gradWeightBuffer:T valuesBuffer:T normalizedValues:T running.counter:n running.keys:t running.gradWeight:t
      running.cumSumSizes:t sizesCache:t cumSumSizesCache:t]] },
   { 'JoinTable(1)', 'dimension:n size:S gradInput:t' },
   { 'L1Penalty(1)', 'l1weight:n sizeAverage:b provideOutput:b' },
   { 'LeakyReLU()', 'negval:n inplace:b' },
   { 'Linear(2, 3)', learned },
   { 'LinearWeightNorm(2, 3)', [[eps:n inputSize:n outputSize:n v:T gradV:T weight:T g:T gradG:T norm:T scale:T bias:T
      gradBias:T]] },
   { 'LookupTable(3, 2)', 'weight:T gradWeight:T paddingValue:n' },
   { 'MM()', 'transA:b transB:b ' .. pair }, { 'MV()', 'trans:b ' .. pair },
   { 'MapTable(nn.Linear(2, 3))', 'module:o modules.1:o output:t gradInput:t sharedparams:t shared:b' },
   { 'MaskedSelect()', '_maskIndices:L _maskIndexBuffer:L _maskIndexBufferCPU:T _gradBuffer:T _gradMask:B' },
   { 'Max(1)', 'dimension:n' }, { 'Min(1)', 'dimension:n' },
   { 'Mean(1)', 'dimension:n sizeAverage:b' }, { 'Sum(1)', 'dimension:n' },
   { 'MixtureTable()', 'size:S size2:S backwardSetup:b gradInput:t' },
   { 'Mul()', 'weight:T gradWeight:T' },
   { 'MulConstant(2)', 'constant_scalar:n inplace:b' },
   { 'Narrow(1, 1, 1)', 'dimension:n index:n length:n' },
   { 'NarrowTable(1)', 'offset:n length:n output:t gradInput:t' },
   { 'Normalize(2)', 'p:n eps:n' },
   { 'OneHot(3)', 'outputSize:n' },
   { 'PReLU()', 'nOutputPlane:n weight:T gradWeight:T' },
   { 'Padding(1, 2)', 'dim:n pad:n index:n value:n outputSize:S' },
   { 'PairwiseDistance(2)', 'norm:n gradInput:t' },
   { 'Parallel(1, 1)', 'inputDimension:n outputDimension:n totalOutputSize:S modules:t' },
   { 'ParallelTable()', 'modules:t output:t gradInput:t' },
   { 'PartialLinear(2, 3)', 'network:o bias:T gradBias:T inputsize:n outputsize:n allcolumns:T partition:T' },
   { 'PixelShuffle(2)', 'upscaleFactor:n upscaleFactorSquared:n' },
   { 'Power(2)', 'pow:n' },
   { 'RReLU()', 'lower:n upper:n train:b inplace:b noise:T' },
   { 'ReLU()', 'threshold:n val:n inplace:b' }, { 'Threshold()', 'threshold:n val:n inplace:b' },
   { 'ReLU6()', 'inplace:b' },
   { 'Replicate(2)', 'nfeatures:n dim:n' },
   { 'Reshape(2, 3)', 'size:S nelement:n batchsize:S' },
   { 'Select(1, 1)', 'dimension:n index:n' },
   { 'SelectTable(1)', 'index:n gradInput:t' },
   { 'SoftPlus()', 'beta:n threshold:n' },
   { 'SparseLinear(3, 2)', learned .. ' weightDecay:n doGradInput:b sparseUpdate:n' },
   { 'SpatialAdaptiveMaxPooling(2, 3)', 'W:n H:n' }, { 'SpatialAdaptiveAveragePooling(2, 3)', 'W:n H:n' },
   { 'SpatialAveragePooling(2, 2)', 'kW:n kH:n dW:n dH:n padW:n padH:n ceil_mode:b count_include_pad:b divide:b' },
   { 'SpatialBatchNormalization(3)', learned .. ' affine:b eps:n momentum:n train:b running_mean:T running_var:T' },
   { 'SpatialConvolution(1, 2, 3, 3)', learned .. ' ' .. image .. padded },
   { 'SpatialConvolutionMM(1, 2, 3, 3)', learned .. ' ' .. image .. padded },
   { 'SpatialConvolutionLocal(1, 2, 5, 5, 3, 3)', learned .. ' iW:n iH:n oW:n oH:n ' .. image .. padded },
   { 'SpatialConvolutionMap(nn.tables.full(1, 2), 3, 3)', learned .. ' connTable:T ' .. image },
   { 'SpatialFullConvolutionMap(nn.tables.full(1, 2), 3, 3)', learned .. ' connTable:T ' .. image },
   { 'SpatialDepthWiseConvolution(2, 2, 3, 3)', learned .. ' ' .. image .. padded },
   { 'SpatialDilatedConvolution(1, 2, 3, 3)', learned .. ' dilationW:n dilationH:n ' .. image .. padded },
   { 'SpatialFullConvolution(1, 2, 3, 3)', learned .. ' adjW:n adjH:n ' .. image .. padded },
   { 'SpatialCrossMapLRN(3)', 'size:n alpha:n beta:n k:n' },
   { 'SpatialSubtractiveNormalization(2)',
      'nInputPlane:n kernel:T meanestimator:o subtractor:o divider:o coef:T' },
   { 'SpatialDivisiveNormalization(2, torch.ones(3))', [[nInputPlane:n kernel:T threshold:n thresval:n meanestimator:o
      stdestimator:o normalizer:o divider:o thresholder:o coef:T]] },
   { 'SpatialContrastiveNormalization(2)', 'nInputPlane:n kernel:T threshold:n thresval:n normalizer:o' },
   { 'SpatialFractionalMaxPooling(2, 2, 3, 3)', fractional },
   { 'VolumetricFractionalMaxPooling(2, 2, 2, 3, 3, 3)', fractional .. ' poolSizeT:n outT:n' },
   { 'SpatialLPPooling(2, 2, 3, 3)', 'modules:t kW:n kH:n dW:n dH:n' },
   { 'SpatialMaxPooling(2, 2)', 'kW:n kH:n dW:n dH:n padW:n padH:n ceil_mode:b' },
   { 'SpatialDilatedMaxPooling(2, 2)', [[kW:n kH:n dW:n dH:n padW:n padH:n dilationW:n dilationH:n
      ceil_mode:b]] },
   { 'SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2))', 'pooling:o' },
   { 'SpatialReflectionPadding(1)', 'pad_l:n pad_r:n pad_t:n pad_b:n' },
   { 'SpatialReplicationPadding(1)', 'pad_l:n pad_r:n pad_t:n pad_b:n' },
   { 'SpatialZeroPadding(1)', 'pad_l:n pad_r:n pad_t:n pad_b:n' },
   { 'SpatialSubSampling(1, 2, 2)', learned .. ' nInputPlane:n kW:n kH:n dW:n dH:n' },
   { 'SpatialUpSamplingBilinear(2)', 'scale_factor:n inputSize:S outputSize:S' },
   { 'SpatialUpSamplingNearest(2)', 'scale_factor:n inputSize:S outputSize:S' },
   { 'UpSampling(2)', 'scale_factor:n mode:s inputSize:S outputSize:S' },
   { 'SplitTable(1)', 'dimension:n' },
   { 'Sqrt()', 'eps:n' },
   { 'TanhShrink()', 'tanh:o' },
   { 'TemporalConvolution(2, 3, 2)', learned .. ' inputFrameSize:n outputFrameSize:n kW:n dW:n' },
   { 'TemporalDynamicKMaxPooling(1)', 'minK:n factor:n' },
   { 'TemporalMaxPooling(2)', 'kW:n dW:n' },
   { 'TemporalRowConvolution(2, 2)', learned .. ' inputFrameSize:n kW:n dW:n featFirst:b' },
   { 'TemporalSubSampling(2, 2)', learned .. ' inputFrameSize:n kW:n dW:n' },
   { 'Transpose({1, 2})', 'permutations:t' },
   { 'Unsqueeze(1)', 'pos:n' },
   { 'View(2, 3)', 'size:S numElements:n' },
   { 'VolumetricAveragePooling(2, 2, 2)', deep .. 'ceil_mode:b count_include_pad:b' },
   { 'VolumetricMaxPooling(2, 2, 2)', deep .. 'ceil_mode:b' },
   { 'VolumetricDilatedMaxPooling(2, 2, 2)', deep .. 'dilationT:n dilationW:n dilationH:n ceil_mode:b' },
   { 'VolumetricMaxUnpooling(nn.VolumetricMaxPooling(2, 2, 2))', 'pooling:o' },
   { 'VolumetricConvolution(1, 2, 2, 2, 2)', learned .. ' nInputPlane:n nOutputPlane:n ' .. deep },
   { 'VolumetricDilatedConvolution(1, 2, 2, 2, 2)',
      learned .. ' nInputPlane:n nOutputPlane:n dilationT:n dilationW:n dilationH:n ' .. deep },
   { 'VolumetricFullConvolution(1, 2, 2, 2, 2)',
      learned .. ' adjT:n adjW:n adjH:n nInputPlane:n nOutputPlane:n ' .. deep },
   { 'VolumetricReplicationPadding(1)', 'pleft:n pright:n ptop:n pbottom:n pfront:n pback:n' },
   { 'WeightNorm(nn.Linear(2, 3))', [[weight:T gradWeight:T bias:T gradBias:T outputDim:n otherDims:n viewIn:S viewOut:S
      weightSize:S v:T g:T _norm:T _scale:T gradG:T gradV:T modules.1:o]] },
   { 'WeightedEuclidean(2, 3)', 'weight:T diagCov:T gradWeight:T gradDiagCov:T fastBackward:b' },
   { 'WhiteNoise()', 'mean:n std:n noise:T' },
   { 'ZipTable()', 'output:t gradInput:t' },
   { 'ZipTableOneToMany()', 'output:t gradInput:t gradInputEl:T' },
   { 'DontCast(nn.Linear(2, 3), true, true, "torch.FloatTensor")', 'modules.1:o castin:b castout:b moduleType:s' },

   { 'AbsCriterion()', criterion }, { 'MSECriterion()', criterion }, { 'SmoothL1Criterion()', criterion },
   { 'SoftMarginCriterion()', criterion }, { 'DistKLDivCriterion()', criterion }, { 'BCECriterion()', criterion },
   { 'DistanceRatioCriterion()', criterion }, { 'SpatialAutoCropMSECriterion()', criterion },
   { 'MarginCriterion()', 'margin:n ' .. criterion }, { 'HingeEmbeddingCriterion()', 'margin:n ' .. criterion },
   { 'ClassNLLCriterion()', criterion .. ' output_tensor:T total_weight_tensor:T target:L ignoreIndex:n' },
   { 'SpatialClassNLLCriterion()', criterion .. ' output_tensor:T total_weight_tensor:T target:L' },
   { 'CrossEntropyCriterion()', 'lsm:o nll:o' },
   { 'ClassSimplexCriterion(3)', 'nClasses:n simplex:T _target:T' },
   { 'CosineEmbeddingCriterion()', 'margin:n sizeAverage:b ' .. pair },
   { 'CriterionTable(nn.MSECriterion())', 'criterion:o gradInput:t' },
   { 'L1HingeEmbeddingCriterion()', 'margin:n ' .. pair },
   { 'MarginRankingCriterion()', 'margin:n sizeAverage:b ' .. pair },
   { 'ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Tanh())',
      'criterion:o inputModule:o targetModule:o castTarget:b' },
   { 'MultiCriterion()', 'criterions:t' },
   { 'ParallelCriterion()', 'criterions:t weights:t gradInput:t' },
   { 'MultiLabelMarginCriterion()', criterion .. ' isTarget:T' },
   { 'MultiLabelSoftMarginCriterion()', criterion .. ' lsm:o nll:o sigmoid:o' },
   { 'MultiMarginCriterion()', criterion .. ' p:n margin:n' },
   { 'WeightedMSECriterion(torch.rand(3))', criterion .. ' weight:T' },
}

local kinds = {
   T = function(x) return torch.isTensor(x) end,
   L = function(x) return torch.type(x) == 'torch.LongTensor' end,
   B = function(x) return torch.type(x) == 'torch.ByteTensor' end,
   S = function(x) return torch.type(x) == 'torch.LongStorage' end,
   n = function(x) return type(x) == 'number' end,
   b = function(x) return type(x) == 'boolean' end,
   s = function(x) return type(x) == 'string' end,
   t = function(x) return torch.type(x) == 'table' end,
   o = function(x) return torch.isTypeOf(x, 'nn.Module') or torch.isTypeOf(x, 'nn.Criterion') end,
}

local count = 0
for _, row in ipairs(rows) do
   local object = loadstring('return nn.' .. row[1])()
   -- What a file of it holds.
   local stored = torch.deserialize(torch.serialize(object))
   for path, kind in row[2]:gmatch '([%w_.]+):(%a)' do
      local value = stored
      for key in path:gmatch '[^.]+' do
         value = type(value) == 'table' and rawget(value, tonumber(key) or key)
         if value == nil then break end
      end
      if kinds[kind](value) then count = count + 1 else print(row[1], path, kind, torch.type(value)) end
   end
end
print(count)
