-- Tools around modules: training, checks of gradients, second derivatives.

local checks = { 'backward', 'backwardUpdate', 'forward', 'forwardUpdate', 'testJacobian', 'testJacobianParameters',
   'testJacobianUpdateParameters', 'testIO', 'testAllUpdate' }

return {
   title = 'Tools',
   { 'StochasticGradient',
      summary = 'Trains a module by plain gradient descent, one example after the other: train(dataset), where ' ..
         'dataset:size() is their number and dataset[i] is {input, target}. Fields set learningRate, ' ..
         'learningRateDecay, maxIteration, shuffleIndices and verbose.',
      formula = 'w = w - learningRate / (1 + iteration learningRateDecay) dloss/dw',
      arguments = { 'module: the network', 'criterion: the loss' },
      example = 'nn.StochasticGradient(nn.Linear(4, 2), nn.MSECriterion())', shapes = 'any -> any' },
   functions = {
      { 'Jacobian', 'Jacobian', { 'backward', 'backwardUpdate', 'forward', 'forwardUpdate', 'testJacobian',
         'testJacobianParameters', 'testJacobianUpdateParameters', 'testIO', 'testAllUpdate', 'backwardDiagHessian',
         'testDiagHessian', 'testDiagHessianInput', 'testDiagHessianWeight', 'testDiagHessianBias',
         'linearModuleDiagHessian' } },
      { 'SparseJacobian', 'SparseJacobian', checks },
      { 'hessian', 'hessian', { 'enable' } },
      { '', 'selftest', { 'test', 'testTHNN' } },
      { '', 'export_onnx', { 'exportONNX' } },
   },
}
