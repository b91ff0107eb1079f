-- Tools around modules: training, checks of gradients, second derivatives.

local checks = { 'backward', 'backwardUpdate', 'forward', 'forwardUpdate', 'testJacobian', 'testJacobianParameters',
   'testJacobianUpdateParameters', 'testIO', 'testAllUpdate' }

return {
   { 'StochasticGradient' },
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
