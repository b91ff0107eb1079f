"""Views of device memory: random programs that mix operations of the device and of the CPU, on both."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lua = Callable[[str], str]

# Random steps on a few tensors and views of them. The same seed gives the same steps for every type.
PROGRAM = r"""
require 'cutorch'
local function run(seed, kind)
   local state = seed
   local function random(n)
      state = (state * 16807) % 2147483647
      return state % n + 1
   end
   local function new(...) return torch[kind](...) end
   local pool = {}
   for k = 1, 3 do pool[k] = torch.range(1, 24):mul(k):view(4, 6):type('torch.' .. kind) end
   local function any() return pool[random(#pool)] end
   local function keep(t)
      if torch.isTensor(t) and t:dim() > 0 then pool[#pool < 8 and #pool + 1 or random(8)] = t end
   end
   local function same(t)
      for _ = 1, 10 do
         local u = any()
         if u:isSameSizeAs(t) then return u end
      end
      return t:clone()
   end
   local steps = {
      function(t) keep(t[random(t:size(1))]) end,
      function(t) keep(t:narrow(t:dim(), 1, random(t:size(t:dim())))) end,
      function(t) if t:dim() == 2 then keep(t:t()) end end,
      function(t) if t:dim() == 2 then keep(t:select(2, random(t:size(2)))) end end,
      function(t) if t:isContiguous() then keep(t:view(t:nElement())) end end,
      function(t) t:add(random(5)) end,
      function(t) t:add(same(t)) t:fmod(97) end,
      function(t) t:copy(same(t)) end,
      function(t) t:cmul(same(t)) t:fmod(89) end,
      function(t) t:fill(random(9)) end,
      function(t) t:zero() end,
      function(t) keep(t + same(t)) end,
      function(t) keep(t:clone()) end,
      function(t) if t:dim() == 1 then t[random(t:size(1))] = random(50) end end,
      function(t) t[random(t:size(1))] = random(40) end,
      function(t) t:storage()[t:storageOffset()] = random(30) end,
      function(t) t:sort() end,
      function(t) keep((t:sort(1, true))) end,
      function(t) t:apply(function(v) return v % 7 end) end,
      function(t) t[t:gt(5)] = random(20) end,
      function(t) keep(t:sum(1)) end,
      function(t) keep(new(t:storage(), t:storageOffset(), t:size(), t:stride())) end,
      function(t) keep(t.new():set(t)) end,
      function(t) local u = t:clone() u:resize(u:nElement() + random(9)) u:fill(3) keep(u) end,
      function(t) local r = new(2, 2) torch.add(r, t, 1) keep(r) end,
      function(t) if t:dim() == 1 and t:nElement() > 2 then
         local n = t:nElement()
         t:narrow(1, 2, n - 1):copy(t:narrow(1, 1, n - 1):clone())
         t:narrow(1, 2, n - 1):add(1, t:narrow(1, 1, n - 1))
         t:fmod(83)
      end end,
      function(t) if t:dim() == 2 then keep((t * t:t():contiguous()):fmod(71)) end end,
      function(t) torch.mul(t, same(t), 0.5) t:floor() end,
      function(t) keep(t:double():type('torch.' .. kind)) end,
      function(t) local host = t:double() t:copy(host:add(1)) end,
      function(t) keep(torch.deserialize(torch.serialize(t))) end,
      function(t) t:cumsum(1) keep(t:cumsum(1):fmod(61)) end,
      function(t) keep(torch.cat(t, t, 1)) end,
      function(t) keep(t:index(1, torch.LongTensor{ 1, 1 })) end,
      function(t) keep(t.new(t:size()):copy(t):cdiv(same(t):clone():add(100)):mul(50):round()) end,
   }
   local text = {}
   for _ = 1, 60 do
      local t = any()
      steps[random(#steps)](t)
      text[#text + 1] = t:sum()
   end
   for _, t in ipairs(pool) do
      local elements = t:contiguous():view(-1):totable()
      text[#text + 1] = table.concat(t:size():totable(), 'x') .. ':' .. table.concat(elements, ' ')
   end
   return table.concat(text, '\n')
end
for seed = 1, COUNT do
   local device, host = run(seed * 7919, 'CudaTensor'), run(seed * 7919, 'FloatTensor')
   if device ~= host then
      print('seed', seed)
      local a, b = {}, {}
      for line in device:gmatch '[^\n]+' do a[#a + 1] = line end
      for line in host:gmatch '[^\n]+' do b[#b + 1] = line end
      for i = 1, #b do
         if a[i] ~= b[i] then print(i, a[i], b[i]) break end
      end
   end
end
"""


def test_random_programs_do_the_same_on_both(lua: Lua) -> None:
    assert lua(PROGRAM.replace("COUNT", "150")) == ""


def test_views_see_what_either_side_writes(lua: Lua) -> None:
    source = """
    local x = torch.CudaTensor(3, 4):zero()
    local row, column = x[2], x:select(2, 3)
    x:add(1)
    row:mul(5)
    column[1] = 7
    print(x:sum(), row[3], x[1][3], column:sum())
    x:storage()[6] = 100
    print(row[2], row:sum(), x:max())
    """
    assert lua(source) == "34\t5\t7\t13\n100\t115\t100\n"


def test_parameters_are_one_block_of_the_device(lua: Lua) -> None:
    source = """
    require 'cunn'
    local net = nn.Sequential():add(nn.Linear(3, 2)):add(nn.Linear(2, 1)):cuda()
    local w, g = net:getParameters()
    w:fill(0.5) g:fill(2)
    net:get(1).weight:mul(2)
    print(w:nElement(), w:sum(), net:get(2).bias[1])
    w:add(-0.25, g)
    print(w:sum(), net:get(1).weight:sum(), net:forward(torch.CudaTensor{1, 1, 1})[1])
    """
    assert lua(source) == "11\t8.5\t0.5\n3\t3\t0\n"


def test_raw_pointers_see_the_device(lua: Lua) -> None:
    source = """
    local x = torch.CudaTensor(4):fill(1)
    local p = x:data()
    x:add(1)
    p[2] = 10
    print(p[0], x:sum())
    x:mul(2)
    print(p[2], x[1])
    p[0] = 100
    print(x:sum(), x:clone():sum())
    """
    assert lua(source) == "2\t16\n20\t4\n128\t128\n"


@pytest.mark.parametrize("kind", ["Cuda", "CudaDouble", "CudaLong", "CudaByte", "CudaHalf"])
def test_elements_are_read_and_written(lua: Lua, kind: str) -> None:
    source = f"""
    local x = torch.{kind}Tensor(5):fill(3)
    x:add(x)
    x[2] = 9
    print(x[1], x[2], x[-1], x[{{3}}], pcall(function() return x[6] end))
    """
    first, message = lua(source).split("false\t")
    assert first == "6\t9\t6\t6\t" and "out of" in message


def test_operands_that_overlap_the_result(lua: Lua) -> None:
    source = """
    local x = torch.range(1, 16):cuda():view(4, 4)
    local square = x:narrow(2, 1, 3):narrow(1, 1, 3)
    square:add(square:t())
    print(square:float():eq(torch.FloatTensor{{2, 7, 12}, {7, 12, 17}, {12, 17, 22}}):all())
    local column = x:select(2, 4)
    column:narrow(1, 1, 3):add(1, column:narrow(1, 2, 3))
    print(table.concat(column:totable(), ' '))
    torch.add(x[1], x[2], x[1])
    print(table.concat(x[1]:totable(), ' '))
    """
    expected = lua(source.replace(":cuda()", ":float()"))
    assert lua(source) == expected


def test_too_little_memory_is_an_error_with_the_sizes() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    from t7shell.packages.cutorch import device

    message = device.buffer("float32", 1, 2**30, 2**12)
    expected = "out of memory: cannot allocate 17592186044416 bytes for [1073741824x4096] elements"
    assert message.startswith(expected)


def test_copies_from_the_host_replace_what_the_device_has(lua: Lua) -> None:
    source = """
    local x, double = torch.CudaTensor(3, 4):fill(1):add(1), torch.range(1, 12):view(3, 4)
    x:copy(double)
    double:zero()
    print(x:sum(), x[2]:copy(torch.FloatTensor{1, 2, 3, 4}):sum(), x:sum())
    print(x:t():copy(torch.range(1, 12):view(4, 3)):sum(), x[1][2], pcall(x.copy, x, torch.zeros(5)))
    local long = torch.CudaLongTensor(3):fill(1):add(1)
    local y = torch.CudaTensor(2):copy(torch.LongTensor{3, 4}):add(1)
    print(long:copy(torch.Tensor{1.7, -2.7, 3}):sum(), y:sum())
    """
    first, second, third = lua(source).splitlines()
    assert first == "78\t10\t62" and third == "2\t9"
    assert second.startswith("78\t4\tfalse\t") and "copy" in second
