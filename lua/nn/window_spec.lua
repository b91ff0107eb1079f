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

-- The values of the fields for t, w, h, in Torch7's order.
function window_spec.joined(module, names, separator)
   local list = {}
   for _, d in ipairs { 1, 3, 2 } do
      local name = names[d]
      if name then list[#list + 1] = string.format('%d', module[name] or 0) end
   end
   return table.concat(list, separator)
end

-- Whether all fields have a value, as absent ones do.
function window_spec.all(module, names, value)
   for d = 1, 3 do
      local name = names[d]
      if name and (module[name] or value) ~= value then return false end
   end
   return true
end

return window_spec
