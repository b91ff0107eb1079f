-- Tensors that are results and views again and again, of one to seven dimensions: each must stay what a new tensor of
-- its storage, offset, sizes and strides is. reused.lua SEED STEPS

torch.manualSeed(tonumber(arg[1]))
local steps = tonumber(arg[2])

local function up_to(n) return torch.random(1, n) end

local function sizes()
   local list = {}
   for d = 1, up_to(7) do list[d] = up_to(3) end
   return torch.LongStorage(list)
end

local function fresh() return torch.Tensor(sizes()):uniform() end

local changes = {
   function(r, t) r:set(t) end,
   function(r, t) r:set(t:storage()) end,
   function(r, t) r:set(t:storage(), 1, sizes()) end,
   function(r, t) r:set(t:select(up_to(t:dim()), 1)) end,
   function(r, t) r:set(t:narrow(up_to(t:dim()), 1, 1)) end,
   function(r, t) r:set(t:transpose(1, up_to(t:dim()))) end,
   function(r, t) r:set(t:unfold(up_to(t:dim()), 1, 1)) end,
   function(r, t) r:set(t[{ {}, 1 }]) end,
   function(r) r:resize(sizes()):uniform() end,
   function(r, t) r:resizeAs(t):copy(t) end,
   function(r, t) r:exp(t) end,
   function(r, t) r:cmul(t, t) end,
   function(r, t) torch.sum(r, t, up_to(t:dim())) end,
   function(r, t) torch.max(r, torch.LongTensor(), t, up_to(t:dim())) end,
   function(r, t) torch.sort(r, torch.LongTensor(), t, up_to(t:dim())) end,
   function(r, t) torch.cat(r, { t, t }, up_to(t:dim())) end,
   function(r, t) torch.squeeze(r, t) end,
   function(r, t) torch.squeeze(r, t, up_to(t:dim())) end,
   function(r, t) r:view(t:contiguous(), t:nElement(), 1, 1, 1, 1) end,
   function(r, t) r:view(t:contiguous(), t:nElement()) end,
   function(r, t) r:expand(t, t:size()) end,
   function(r, t) r:index(t, 1, torch.LongTensor{ 1 }) end,
   function(r, t) r:maskedSelect(t, t:ge(0)) end,
   function(r, t) torch.repeatTensor(r, t, 2) end,
   function(r) r:set() end,
}

local function check(t)
   if t:dim() == 0 then return end
   local new = torch.Tensor(t:storage(), t:storageOffset(), t:size(), t:stride())
   local d = up_to(t:dim())
   assert(t:nElement() == new:nElement() and t:isContiguous() == new:isContiguous())
   assert(t:equal(new) and t:clone():equal(new) and t:sum() == new:sum())
   assert(t:narrow(d, 1, 1):equal(new:narrow(d, 1, 1)))
   if t:dim() > 1 then assert(t[1]:equal(new[1]) and t:select(d, 1):equal(new:select(d, 1))) end
end

local tensors = {}
for k = 1, 6 do tensors[k] = fresh() end
local changed = 0
for _ = 1, steps do
   local a, b, k = up_to(6), up_to(6), up_to(#changes)
   local ok = pcall(changes[k], tensors[a], tensors[b])
   if ok then changed = changed + 1 end
   for _, i in ipairs{ a, b } do
      assert(pcall(check, tensors[i]), 'after change ' .. k)
      if tensors[i]:nElement() > 3000 then tensors[i] = fresh() end
   end
end
print(changed > steps / 2)
