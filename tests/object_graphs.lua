-- Random object graphs, and whether two have the same shape: returns generate(seed) and same(a, b).

local types = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half' }

if not TgNode then
   torch.class('TgNode')
   local C = torch.class('TgCustom', 'TgNode')
   function C:write(file)
      file:writeInt(7)
      file:writeObject(self.inner)
   end
   function C:read(file)
      assert(file:readInt() == 7)
      self.inner = file:readObject()
   end
end

local function generate(seed)
   local state = seed
   local function draw(n)
      state = (state * 1103515245 + 12345) % 2 ^ 31
      return math.floor(state / 65536) % n + 1
   end
   local made = {}
   local make

   local function tensor()
      local T = types[draw(#types)]
      local dims = draw(4) - 1
      if dims == 0 then return torch[T .. 'Tensor']() end
      local sizes = torch.LongStorage(dims)
      for d = 1, dims do sizes[d] = draw(4) end
      local x = torch.DoubleTensor(sizes)
      local k = 0
      x:apply(function() k = k + 1 return (k * 7 + seed) % 100 - (T == 'Byte' and 0 or 50) end)
      x = x:type('torch.' .. T .. 'Tensor')
      local how = draw(4)
      if how == 1 and dims > 1 then x = x:transpose(1, dims)
      elseif how == 2 then x = x:narrow(1, draw(x:size(1)), 1)
      elseif how == 3 then return x:storage() end
      return x
   end

   local scalars = {
      0, -1.5, 1 / 0, -1 / 0, 2 ^ 53, 1e-300, true, false, '', 'text', 'line\nline', '\0\255 ', ('x'):rep(300),
   }

   function make(depth)
      local kind = draw(10)
      if kind <= 3 or depth == 0 then return scalars[draw(#scalars)] end
      if kind == 4 and #made > 0 then return made[draw(#made)] end
      if kind <= 6 then
         local x = tensor()
         made[#made + 1] = x
         return x
      end
      local object
      if kind == 7 then object = TgNode()
      elseif kind == 8 then
         object = TgCustom()
         made[#made + 1] = object
         object.inner = make(depth - 1)
         return object
      elseif kind == 9 then
         local captured
         object = function() return captured end
         made[#made + 1] = object
         captured = make(depth - 1)
         return object
      else object = {} end
      made[#made + 1] = object
      for i = 1, draw(5) do
         local key = i
         if draw(2) == 1 then key = scalars[draw(#scalars)] end
         object[key] = make(depth - 1)
      end
      return object
   end
   return make(5)
end

local function same(a, b, pairs_seen)
   pairs_seen = pairs_seen or {}
   local kind = torch.type(a)
   if kind ~= torch.type(b) then return false, kind .. ' and ' .. torch.type(b) end
   if torch.isTensor(a) then
      if a:dim() == 0 then return b:dim() == 0 end
      return table.concat(a:size():totable(), ' ') == table.concat(b:size():totable(), ' ')
         and table.concat(a:stride():totable(), ' ') == table.concat(b:stride():totable(), ' ')
         and a:storageOffset() == b:storageOffset() and same(a:storage(), b:storage())
   end
   if torch.isStorage(a) then return table.concat(a:totable(), ' ') == table.concat(b:totable(), ' ') end
   if type(a) ~= 'table' and type(a) ~= 'function' then return a == b or a ~= a and b ~= b end
   -- One object in one graph corresponds to one object in the other.
   if pairs_seen[a] then return pairs_seen[a] == b end
   pairs_seen[a] = b
   if type(a) == 'function' then
      local _, x = debug.getupvalue(a, 1)
      local _, y = debug.getupvalue(b, 1)
      return same(x, y, pairs_seen)
   end
   for key, value in pairs(a) do
      local fine, why = same(value, b[key], pairs_seen)
      if not fine then return false, why or tostring(key) end
   end
   for key in pairs(b) do
      if a[key] == nil then return false, 'new key ' .. tostring(key) end
   end
   return true
end

return generate, same
