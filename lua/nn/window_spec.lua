-- Specs of layers whose windows move over images or volumes: the names of the fields of kernel, stride and padding, in
-- the order t, h, w; false for a dimension that images do not have.

local window_spec = {}

function window_spec.images(spec)
   spec.dimensions, spec.kernel, spec.stride = 2, { false, 'kH', 'kW' }, { false, 'dH', 'dW' }
   spec.pad = { false, 'padH', 'padW' }
   return spec
end

function window_spec.volumes(spec)
   spec.dimensions, spec.kernel, spec.stride = 3, { 'kT', 'kH', 'kW' }, { 'dT', 'dH', 'dW' }
   spec.pad = { 'padT', 'padH', 'padW' }
   return spec
end

return window_spec
