-- Values that stand for tensors and numbers, such as those that a package records: a call with one goes to the package
-- that declared their kind. Operations ask only when their arguments match no signature, so that other calls cost
-- nothing.

local select, type = select, type
local istype = require('ffi').istype

-- call(name, use, ...) runs an operation; `use` is 'method' or 'function'.
local proxies = { call = nil }

local proxy_ct

-- Declares the C type of proxies, and the function that runs operations on them.
function proxies.declare(ctype, call)
   proxy_ct, proxies.call = ctype, call
end

function proxies.is(value) return proxy_ct ~= nil and istype(proxy_ct, value) end

-- Tells whether one of the arguments, or an element of a list among them, is a proxy.
function proxies.among(...)
   if not proxy_ct then return false end
   for i = 1, select('#', ...) do
      local value = select(i, ...)
      if istype(proxy_ct, value) then return true end
      if type(value) == 'table' then
         for k = 1, #value do
            if istype(proxy_ct, value[k]) then return true end
         end
      end
   end
   return false
end

return proxies
