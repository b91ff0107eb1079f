-- autograd.module: parts of networks as functions.

return {
   LayerNormalization = require 'autograd.module.LayerNormalization',
   MaskedBatchNormalization = require 'autograd.module.MaskedBatchNormalization',
   SoftAttention = require 'autograd.module.SoftAttention',
}
