-- The work that is timed, by group: rows of name, set-up and body. The body runs in a separate loop.
--
-- Prints: group <tab> name <tab> nanoseconds per round, the best of several. With a second argument it waits for a
-- line of its input after each row, so that who reads the rows can measure something else in between.

local ffi = require 'ffi'
ffi.cdef 'typedef struct { long s; long ns; } t7_bench_time; int clock_gettime(int clock, t7_bench_time *time);'
local time = ffi.new 't7_bench_time'

local function now()
   ffi.C.clock_gettime(1, time)
   return tonumber(time.s) + tonumber(time.ns) * 1e-9
end

local vector, matrix = 'local x = torch.range(1, 1000)', 'local x = torch.zeros(100, 100)'

local picture = "require 'image' local x, path = torch.rand(3, 256, 256):float(), os.tmpname()"
local sigmoid = 'local x, f = torch.rand(1000, 1000), function(x) return 1 / (1 + math.exp(-x)) end'
local weighted = 'local x, y, f = torch.rand(1000, 1000), torch.rand(1000, 1000), function(a, b) return a + 2 * b end'

local function pair(...)
   local sizes = table.concat({ ... }, ', ')
   return ('local a, b, r = torch.rand(%s), torch.rand(%s), torch.rand(%s)'):format(sizes, sizes, sizes)
end

-- Two matrices of Floats, and what picks elements of them.
local floats = [[
   local a, b = torch.rand(1000, 1000):float(), torch.rand(1000, 1000):float()
   local k, places = a:gt(0.5), torch.rand(1000, 1000):mul(1000):floor():add(1):long()
   local column = a:select(2, 1):contiguous():view(1000, 1)]]

local function sized(group, ...)
   local setup = pair(...)
   return { group,
      { 'r:add(a, b)', setup, 'r:add(a, b)' },
      { 'r:cmul(a, b)', setup, 'r:cmul(a, b)' },
      { 'a + b', setup, 'local c = a + b' },
      { 'a * 2', setup, 'local c = a * 2' },
      { 'r:exp(a)', setup, 'r:exp(a)' },
      { 'torch.gt(a, 0.5)', setup, 'local c = torch.gt(a, 0.5)' } }
end

-- Forward and backward of a layer of Floats on a random input.
local function layer(make, ...)
   return make .. ' ' .. table.concat({ ... }, 'x'), ([[
      require 'nn'
      local m, x = nn.%s:float(), torch.FloatTensor(%s):uniform()
      local g = m:forward(x):clone()]]):format(make, table.concat({ ... }, ', ')),
      'm:forward(x) m:backward(x, g)'
end

-- Forward and backward of a layer of Floats over 25 steps of a batch of 32.
local function sequence(package, class, size)
   return ('%s.%s(%d, %d) 25x32'):format(package == 'rnn' and 'nn' or package, class, size, size), ([[
      require '%s'
      local x = torch.FloatTensor(25, 32, %d):normal()
      local m = %s.%s(%d, %d):float()
      local g = m:forward(x):clone()]]):format(package, size, package == 'rnn' and 'nn' or package, class, size, size),
      'm:forward(x) m:zeroGradParameters() m:backward(x, g)'
end

-- A loop over lengths, as programs are compiled or, `raw`, as LuaJIT compiles them by itself.
local function length_row(name, value, body, raw)
   local setup = [=[
      local compile = %s
      local run = compile([[return function(t, n) local s = 0 for i = 1, n do %s end return s end]])()
      local t = %s]=]
   local compile = raw and "require('torch.jit.loader').pristine.loadstring" or 'loadstring'
   name = name .. ', 1000 times' .. (raw and ', LuaJIT' or '')
   return { name, setup:format(compile, body, value), 's = s + run(t, 1000)' }
end

-- An einsum of random operands of these sizes.
local function equation(text, ...)
   local operands, made, names = { ... }, {}, {}
   for i, sizes in ipairs(operands) do
      made[i], names[i] = 'torch.rand(' .. table.concat(sizes, ', ') .. ')', 'x' .. i
   end
   local list = table.concat(names, ', ')
   return { ("einsum '%s'"):format(text), ('local %s = %s'):format(list, table.concat(made, ', ')),
      ("local c = torch.einsum('%s', %s)"):format(text, list) }
end

-- A dataset of 100000 x 32 in a file that is gone at once.
local dataset = [[
   local path = os.tmpname()
   local f = require('hdf5').open(path, 'w')
   f:write('coords', torch.rand(100000, 32))
   local d = f['coords']
   os.remove(path)]]

-- A sum of operands of two sizes, in the dialect modern.
local function broadcast(a, b)
   return { ((a .. ' + ' .. b):gsub(', ', 'x')),
      ('local a, b, r = torch.rand(%s), torch.rand(%s), torch.Tensor()'):format(a, b), 'torch.add(r, a, b)' }
end

local groups = {
   { 'scalar access',
      { 'x[i]', vector, 's = s + x[i % 1000 + 1]' },
      { 'x[i] = v', vector, 'x[i % 1000 + 1] = i' },
      { 'x[i][j]', matrix, 's = s + x[i % 100 + 1][3]' },
      { 'x[i][j] = v', matrix, 'x[i % 100 + 1][3] = i' },
      { 'x[{i, j}]', matrix, 's = s + x[{i % 100 + 1, 3}]' },
      { 'storage[i]', 'local x = torch.DoubleStorage(100)', 's = s + x[i % 100 + 1]' } },
   { 'views',
      { 'x[i]', matrix, 'local v = x[i % 100 + 1]' },
      { 'x:narrow(1, 2, 3)', matrix, 'local v = x:narrow(1, 2, 3)' },
      { 'x:select(2, 3)', matrix, 'local v = x:select(2, 3)' },
      { 'x:t()', matrix, 'local v = x:t()' },
      { 'x:view(50, 200)', matrix, 'local v = x:view(50, 200)' },
      { 'x[{{2, 5}, {3, 4}}]', matrix, 'local v = x[{{2, 5}, {3, 4}}]' } },
   { 'construction',
      { 'torch.Tensor(4)', '', 'local v = torch.Tensor(4)' },
      { 'torch.zeros(100, 100)', '', 'local v = torch.zeros(100, 100)' },
      { 'torch.Tensor{1, 2, 3, 4}', '', 'local v = torch.Tensor{1, 2, 3, 4}' },
      { 'x:clone() of 4x4', 'local x = torch.rand(4, 4)', 'local v = x:clone()' },
      { 'torch.ByteTensor(32, 32)', '', 'local v = torch.ByteTensor(32, 32)' },
      { 'x:clone() of 96', 'local x = torch.rand(96)', 'local v = x:clone()' },
      { 'x:clone() of 32x32', 'local x = torch.rand(32, 32)', 'local v = x:clone()' },
      { 'torch.Tensor{...} 100x100', 'local x = torch.rand(100, 100):totable()', 'local v = torch.Tensor(x)' } },
   { 'small calls',
      { 'torch.zeros(2, 3, 4)', '', 'local c = torch.zeros(2, 3, 4)' },
      { 'torch.linspace(0, 1, 4)', '', 'local c = torch.linspace(0, 1, 4)' },
      { 'torch.random(1, 6)', '', 's = s + torch.random(1, 6)' },
      { 'a:reshape(2, 8)', pair(4, 4), 'local c = a:reshape(2, 8)' },
      { 'a:repeatTensor(2, 2)', pair(4, 4), 'local c = a:repeatTensor(2, 2)' },
      { 'torch.cat(a, b, 1)', pair(4, 4), 'local c = torch.cat(a, b, 1)' },
      { 'a:select(2, 1):sum()', pair(4, 4), 's = s + a:select(2, 1):sum()' },
      { 'a:t():sum()', pair(4, 4), 's = s + a:t():sum()' },
      { 'torch.inverse(a) 4x4', pair(4, 4), 'local c = torch.inverse(a)' },
      { 'torch.symeig(a) 4x4', pair(4, 4) .. ' a = a + a:t()', "local e, v = torch.symeig(a, 'V')" } },
   sized('element-wise, 4x4', 4, 4),
   sized('element-wise, 100x100', 100, 100),
   sized('element-wise, 1000x1000', 1000, 1000),
   { 'broadcasting', dialect = 'modern',
      broadcast('4, 4', '4, 4'),
      broadcast('4, 4', '4'),
      broadcast('64, 10', '10'),
      broadcast('64, 10', '64, 1'),
      broadcast('1000, 1', '1000'),
      broadcast('1000, 1000', '1000'),
      broadcast('1000, 1000', '1000, 1'),
      broadcast('480, 640, 3', '3'),
      broadcast('64, 32, 28, 28', '32, 1, 1'),
      broadcast('100000, 2, 1', '3') },
   { 'language',
      length_row('for j = 1, #t', '{ 1, 2, 3, 4, 5, 6, 7, 8 }', 'for j = 1, #t do s = s + t[j] end'),
      length_row('for j = 1, #t', '{ 1, 2, 3, 4, 5, 6, 7, 8 }', 'for j = 1, #t do s = s + t[j] end', true),
      length_row('t[#t + 1] = i', '{}', 'if #t > 1000 then t = {} end t[#t + 1] = i'),
      length_row('t[#t + 1] = i', '{}', 'if #t > 1000 then t = {} end t[#t + 1] = i', true),
      length_row('#text', "'some text'", 's = s + #t'),
      length_row('#text', "'some text'", 's = s + #t', true) },
   { 'layouts',
      { 'r:mul(a, 2) 1x1000, every second', "local a, r = torch.rand(1, 1000, 2):select(3, 1), torch.rand(1, 1000)",
         'r:mul(a, 2)' },
      { 'r:cmul(a, b:t()) 1000x1000 floats', floats .. ' local r = a:clone()', 'r:cmul(a, b:t())' },
      { 'r:add(a:t()) 32x32', pair(32, 32) .. ' local t = a:t()', 'r:add(t)' },
      { 'r:exp(a) 5x7x9x11 of 5x7x9x14', 'local a, r = torch.rand(5, 7, 9, 14):narrow(4, 2, 11), torch.Tensor()',
         'r:exp(a)' },
      { 'a:mul(1) 1000x3 of 1000x6', 'local a = torch.rand(1000, 6):narrow(2, 2, 3)', 'a:mul(1)' },
      { 'r:add(a, b) 20x5, a row of b', [[
         local a, b, r = torch.rand(20, 5), torch.rand(1, 5):expand(20, 5), torch.Tensor()]], 'r:add(a, b)' },
      { 'r:fill(1) 100x100, every second', 'local r = torch.rand(100, 100, 2):select(3, 1)', 'r:fill(1)' },
      { 'f:copy(a) 64x3x32x32 floats, transposed', [[
         local a, f = torch.rand(64, 3, 32, 32):transpose(3, 4), torch.FloatTensor(64, 3, 32, 32)]], 'f:copy(a)' },
      { 'a:min() 100x100, every second', 'local a = torch.rand(100, 100, 2):select(3, 1)', 's = s + a:min()' },
      { 'a:norm() 100x100, every second', 'local a = torch.rand(100, 100, 2):select(3, 1)', 's = s + a:norm()' },
      { 'a:cumsum() of 1000, every second', 'local a = torch.rand(1000, 2):select(2, 1)', 'local c = a:cumsum()' },
      { 'a:dot(b) of 1000, every second', [[
         local a, b = torch.rand(1000, 2):select(2, 1), torch.rand(1000, 2):select(2, 1)]], 's = s + a:dot(b)' } },
   { 'functions',
      { 'r:exp(a) 1024', pair(1024), 'r:exp(a)' },
      { 'r:tanh(a) 1024', pair(1024), 'r:tanh(a)' },
      { 'r:tanh(a) 1000x1000', pair(1000, 1000), 'r:tanh(a)' },
      { 'r:sigmoid(a) 1000x1000', pair(1000, 1000), 'r:sigmoid(a)' },
      { 'r:addcmul(0.5, a, b) 1000x1000', pair(1000, 1000), 'r:addcmul(0.5, a, b)' } },
   { 'copies',
      { 'r:copy(a) 4x4', pair(4, 4), 'r:copy(a)' },
      { 'r:copy(a) 1000x1000', pair(1000, 1000), 'r:copy(a)' },
      { 'r:copy(a:t()) 1000x1000', pair(1000, 1000), 'r:copy(a:t())' },
      { 'a:float() 1000x1000', pair(1000, 1000), 'local c = a:float()' },
      { 'r:fill(1) 1000x1000', pair(1000, 1000), 'r:fill(1)' },
      { 'r:t():fill(1) 1000x1000', pair(1000, 1000), 'r:t():fill(1)' },
      { 'r:copy(f) 100x100 floats', pair(100, 100) .. ' local f = a:float()', 'r:copy(f)' },
      { 'a:expand(1000, 1000):clone()', floats, 'local c = column:expand(1000, 1000):clone()' },
      { 'torch.cat(a, b, 1) 1000x1000', pair(1000, 1000), 'local c = torch.cat(a, b, 1)' },
      { 'a:repeatTensor(2, 1) 1000x1000', pair(1000, 1000), 'local c = a:repeatTensor(2, 1)' } },
   { 'apply',
      { 'apply v + 1, 1000', vector, 'x:apply(function(v) return v + 1 end)' },
      { 'map a + b, 1000', vector .. ' local y = x:clone()', 'x:map(y, function(a, b) return a + b end)' },
      { 'sigmoid, 1000x1000', sigmoid, 'x:apply(f)' },
      { 'sigmoid, 1000x1000, one core', 'torch.setnumthreads(1) ' .. sigmoid, 'x:apply(f)' },
      { 'map a + 2 * b, 1000x1000', weighted, 'x:map(y, f)' },
      { 'map a + 2 * b, 1000x1000, one core', 'torch.setnumthreads(1) ' .. weighted, 'x:map(y, f)' } },
   { 'reductions',
      { 'a:sum() 4x4', pair(4, 4), 's = s + a:sum()' },
      { 'a:sum() 1000x1000', pair(1000, 1000), 's = s + a:sum()' },
      { 'a:sum(1) 1000x1000', pair(1000, 1000), 'local c = a:sum(1)' },
      { 'a:sum(2) 1000x1000', pair(1000, 1000), 'local c = a:sum(2)' },
      { 'a:max() 1000x1000', pair(1000, 1000), 's = s + a:max()' },
      { 'torch.max(a, 1) 1000x1000', pair(1000, 1000), 'local c, i = torch.max(a, 1)' },
      { 'torch.max(a, 2) 1000x1000', pair(1000, 1000), 'local c, i = torch.max(a, 2)' },
      { 'a:std(2) 32x32', pair(32, 32), 'local c = a:std(2)' },
      { 'a:norm() 32x32', pair(32, 32), 's = s + a:norm()' },
      { 'a:sum() of 10^6 floats', floats, 's = s + a:sum()' },
      { 'a:t():sum() of 10^6 floats', floats, 's = s + a:t():sum()' },
      { 'a:sum(1) of 10^6 floats', floats, 'local c = a:sum(1)' },
      { 'a:sum(2) of 10^6 floats', floats, 'local c = a:sum(2)' },
      { 'a:std() of 10^6 floats', floats, 's = s + a:std()' },
      { 'a:norm() of 10^6 floats', floats, 's = s + a:norm()' },
      { 'a:t():dist(b:t()) of 10^6 floats', floats, 's = s + a:t():dist(b:t())' },
      { 'a:norm(1) of 10^6 floats', 'local a = torch.rand(1e6):float()', 's = s + a:norm(1)' },
      { 'a:cumsum() of 10^6', pair(1e6), 'local c = a:cumsum()' },
      { 'a:histc(10) of 10^6', pair(1e6), 'local c = a:histc(10)' },
      { 'a:equal(b) 1000x1000', pair(1000, 1000), 's = s + (a:equal(b) and 1 or 0)' },
      { 'a:clamp(0.2, 0.8) of 10^6 floats', 'local a = torch.rand(1e6):float()', 'a:clamp(0.2, 0.8)' },
      { 'a:sum() of 6400 floats', 'local a = torch.FloatTensor(6400):fill(0.1)', 's = s + a:sum()' },
      { 'a:select(2, 2):std() of 100x3x8x8 floats', 'local a = torch.rand(100, 3, 8, 8):float():select(2, 2)',
         's = s + a:std()' },
      { 'a:sum() of 10^8 floats', 'local a = torch.FloatTensor(1e8):fill(0.1)', 's = s + a:sum()' } },
   { 'order',
      { 'a:sort() of 20', 'local a = torch.rand(20)', 'local c, i = a:sort()' },
      { 'a:median() of 100', 'local a = torch.rand(100)', 'local c, i = a:median()' },
      { 'a:sort(2) 32x32', pair(32, 32), 'local c, i = a:sort(2)' },
      { 'a:sort(2) 500x11, equal', 'local a = torch.ones(500, 11)', 'local c, i = a:sort(2)' },
      { 'a:sort(2) 100x100, in order', 'local a = torch.range(1, 10000):view(100, 100)', 'local c, i = a:sort(2)' },
      { 'a:sort(2) 32x32, ten values', 'local a = torch.Tensor(32, 32):random(1, 10)', 'local c, i = a:sort(2)' },
      { 'a:sort(2) 1000x1000', pair(1000, 1000), 'local c, i = a:sort(2)' },
      { 'a:sort() of 3 * 10^6', 'local a = torch.rand(3e6)', 'local c, i = a:sort()' },
      { 'a:sort() of 10^6 floats', 'local a = torch.rand(1e6):float()', 'local c, i = a:sort()' },
      { 'a:sort() of 3 * 10^6, normal', 'local a = torch.randn(3e6)', 'local c, i = a:sort()' },
      { 'a:sort() of 10^6 Longs', 'local a = torch.LongTensor(1e6):random(1, 1e9)', 'local c, i = a:sort()' },
      { 'a:sort() of 10^6, many equal', 'local a = torch.rand(1e6):mul(255):byte()', 'local c, i = a:sort()' },
      { 'a:sort(2) 1000x100, ten values', 'local a = torch.Tensor(1000, 100):random(1, 10)', 'local c, i = a:sort(2)' },
      { 'a:median(2) 1000x100', pair(1000, 100), 'local c, i = a:median(2)' },
      { 'a:topk(3, 2) 32x32', pair(32, 32), 'local c, i = a:topk(3, 2)' } },
   { 'selection',
      { 'a:maskedSelect(k) 32x32', pair(32, 32) .. ' local k = a:gt(0.5)', 'local c = a:maskedSelect(k)' },
      { 'a:maskedSelect(k) 1000x1000', pair(1000, 1000) .. ' local k = a:gt(0.5)', 'local c = a:maskedSelect(k)' },
      { 'a:index(1, k) 1000x1000', pair(1000, 1000) .. ' local k = torch.range(1, 1000, 2):long()',
         'local c = a:index(1, k)' },
      { 'a:t():index(1, k) 10x10', pair(10, 10) .. ' local k = torch.range(1, 10, 2):long()',
         'local c = a:t():index(1, k)' },
      { 'torch.where(k, a, b) of 10^6', floats, 'local c = torch.where(k, a, b)' },
      { 'a:maskedFill(k, 2) of 10^6', floats, 'a:maskedFill(k, 2)' },
      { 'a:maskedCopy(k, b) of 10^6', floats, 'a:maskedCopy(k, b)' },
      { 'k:nonzero() of 10^6', floats, 'local c = k:nonzero()' },
      { 'a:gather(2, k) of 10^6', floats, 'local c = a:gather(2, places)' },
      { 'a:scatter(2, k, b) of 10^6', floats, 'a:scatter(2, places, b)' } },
   { 'random',
      { 'r:uniform() 1000x1000', pair(1000, 1000), 'r:uniform()' },
      { 'r:normal() 1000x1000', pair(1000, 1000), 'r:normal()' },
      { 'torch.randperm(10000)', '', 'local c = torch.randperm(10000)' } },
   { 'text and files',
      { 'tostring(a) 20x20', pair(20, 20), 'local c = tostring(a)' },
      { 'torch.serialize(a) 1000x1000', pair(1000, 1000), 'local c = torch.serialize(a)' } },
   { 'datasets',
      { 'd[{{100, 200}}]', dataset, 'local c = d[{ {100, 200} }]' },
      { 'd[{5, 6}]', dataset, 's = s + d[{5, 6}]' },
      { 'd[{{1, -1, 10}, 3}]', dataset, 'local c = d[{ {1, -1, 10}, 3 }]' },
      { 'd:all()', dataset, 'local c = d:all()' } },
   { 'products',
      { 'a * b 4x4', pair(4, 4), 'local c = a * b' },
      { 'r:mm(a, b) 300x300', pair(300, 300), 'r:mm(a, b)' },
      { 'r:mm(a, b) 1000x1000', pair(1000, 1000), 'r:mm(a, b)' },
      { 'r:mm(x, w:t()) 32x128x512', 'local x, w, r = torch.rand(32, 128), torch.rand(512, 128), torch.rand(32, 512)',
         'r:mm(x, w:t())' },
      { 'r:mm(x, w) 32x784x300', 'local x, w, r = torch.rand(32, 784), torch.rand(784, 300), torch.rand(32, 300)',
         'r:mm(x, w)' },
      { 'a:dot(b) 1000x1000', pair(1000, 1000), 's = s + a:dot(b)' },
      { 'torch.mv(a, b) 256x256', 'local a, b, r = torch.rand(256, 256), torch.rand(256), torch.rand(256)',
         'r:mv(a, b)' },
      { 'r:mm(x, w:t()) 1x784x128', 'local x, w, r = torch.rand(1, 784), torch.rand(128, 784), torch.rand(1, 128)',
         'r:mm(x, w:t())' },
      { 'r:mm(x, w) 256x256x1', 'local x, w, r = torch.rand(256, 256), torch.rand(256, 1), torch.rand(256, 1)',
         'r:mm(x, w)' },
      { 'r:bmm(a, b) 64x32x32', pair(64, 32, 32), 'r:bmm(a, b)' },
      { 'torch.ger(a, b) 1000x1000', 'local a, b, r = torch.rand(1000), torch.rand(1000), torch.rand(1000, 1000)',
         'r:addr(0, 1, a, b)' },
      { 'torch.ger(a, b) 1000x1000 bytes', 'local a, b = torch.ones(1000):byte(), torch.ones(1000):byte()',
         'local c = torch.ger(a, b)' },
      { 'a * b 1000x1000 bytes', 'local a, b = torch.ByteTensor(1000, 1000):fill(3), torch.ByteTensor(1000):fill(5)',
         'local c = a * b' },
      { 'r:addmm(a:t(), b) 64x64', pair(64, 64), 'r:addmm(0, 1, a:t(), b)' },
      { 'r:addmm(a:t(), b) 256x256', pair(256, 256), 'r:addmm(0, 1, a:t(), b)' },
      { 'torch.cross(a, b) 30x3', pair(30, 3), 'local c = torch.cross(a, b)' },
      equation('ij,jk->ik', { 10, 10 }, { 10, 10 }),
      equation('ij,jk,kl->il', { 100, 100 }, { 100, 100 }, { 100, 100 }),
      equation('...chw,c->...hw', { 16, 3, 224, 224 }, { 3 }),
      equation('bihd,bjhd->bhij', { 4, 64, 8, 32 }, { 4, 64, 8, 32 }),
      equation('ijkl,jk->il', { 20, 20, 20, 20 }, { 20, 20 }),
      equation('kb,kb->b', { 1000, 1000 }, { 1000, 1000 }),
      equation('bi,bi->b', { 1000, 100 }, { 1000, 100 }),
      equation('bi,bj->bij', { 64, 50 }, { 64, 60 }),
      equation('ij,ji->', { 300, 300 }, { 300, 300 }),
      equation('ijk->j', { 100, 100, 100 }),
      { 'torch.conv2(a, k) 64x64 5x5', pair(64, 64) .. ' local k = torch.rand(5, 5)', 'local c = torch.conv2(a, k)' },
      { 'torch.inverse(a) 200x200', pair(200, 200), 'local c = torch.inverse(a)' },
      { 'torch.gesv(a, b) 200x200', pair(200, 200), 'local x, lu = torch.gesv(b, a)' },
      { 'torch.svd(a) 200x200', pair(200, 200), 'local u, s, v = torch.svd(a)' },
      { "torch.symeig(a, 'V') 200x200", pair(200, 200) .. ' a = a + a:t()', "local e, v = torch.symeig(a, 'V')" } },
   { 'layers',
      { layer('SpatialConvolution(3, 16, 5, 5)', 8, 3, 32, 32) },
      { layer('SpatialConvolution(64, 64, 3, 3, 1, 1, 1, 1)', 8, 64, 28, 28) },
      { layer('SpatialConvolution(3, 32, 7, 7, 2, 2, 3, 3)', 1, 3, 112, 112) },
      { layer('SpatialConvolution(32, 64, 5, 5)', 16, 32, 9, 9) },
      { layer('SpatialFullConvolution(16, 8, 4, 4, 2, 2, 1, 1)', 8, 16, 14, 14) },
      { layer('TemporalConvolution(64, 128, 3)', 50, 64) },
      { layer('ReLU()', 1000, 1000) },
      { layer('HardTanh()', 16) },
      { layer('LogSoftMax()', 128, 1000) },
      { layer('LogSoftMax()', 32, 10) },
      { layer('SpatialMaxPooling(2, 2)', 8, 16, 28, 28) },
      { layer('SpatialMaxPooling(3, 3, 2, 2)', 8, 16, 28, 28) },
      { layer('SpatialAveragePooling(2, 2, 2, 2)', 8, 16, 28, 28) },
      { layer('SpatialUpSamplingNearest(2)', 8, 16, 14, 14) },
      { layer('Linear(784, 100)', 20, 784) },
      { layer('BatchNormalization(100)', 64, 100) },
      { layer('SpatialBatchNormalization(16)', 8, 16, 28, 28) },
      { layer('SpatialCrossMapLRN(5)', 8, 16, 28, 28) },
      { sequence('rnn', 'SeqLSTM', 128) },
      { sequence('cudnn', 'LSTM', 128) } },
   -- limit.py compares these with C.
   { 'limits',
      { 'r:cmul(a, b)', pair(1000, 1000), 'r:cmul(a, b)' },
      { 'r:mul(1.0000001)', pair(1000, 1000), 'r:mul(1.0000001)' },
      { 'torch.pow(r, a, 2)', pair(1000, 1000), 'torch.pow(r, a, 2)' },
      { 'r:add(a)', pair(1000, 1000), 'r:add(a)' },
      { 'a * 2', pair(1000, 1000), 'local c = a * 2' },
      { 'torch.Tensor(1000, 1000):fill(1)', '', 'local c = torch.Tensor(1000, 1000):fill(1)' },
      { 'a:index(1, k) of 500 rows', 'local a, k = torch.rand(1000, 1000), torch.range(1, 1000, 2):long()',
         'local c = a:index(1, k)' },
      { 'a + b of 100x100', pair(100, 100), 'local c = a + b' },
      { 'a * 2 of 100x100', pair(100, 100), 'local c = a * 2' },
      { 'torch.zeros(100, 100)', '', 'local c = torch.zeros(100, 100)' },
      { 'x:clone() of 32x32', 'local x = torch.rand(32, 32)', 'local c = x:clone()' },
      { 'a collection', '', "collectgarbage('step', 2 ^ 20)" },
      { 'a:sort(2) 1000x100, ten values', 'local a = torch.Tensor(1000, 100):random(1, 10):float()',
         'local c, i = a:sort(2)' },
      { 'a:sort() of 10^6 floats', 'local a = torch.rand(1e6):float()', 'local c, i = a:sort()' },
      { 'torch.gesv(g, g) 200x200', 'local g = torch.rand(200, 200)', 'local c = torch.gesv(g, g)' } },
   { 'images',
      { 'hflip 3x256x256', picture, 'image.hflip(x)' },
      { 'crop 3x200x200', picture, 'image.crop(x, 10, 10, 210, 210)' },
      { 'rotate 3x256x256', picture, 'image.rotate(x, 0.3)' },
      { 'scale to 400x400, bicubic', picture, "image.scale(x, 400, 400, 'bicubic')" },
      { 'rgb2hsv 3x256x256', picture, 'image.rgb2hsv(x)' },
      { 'convolve 5x5', picture .. ' local k = image.gaussian(5):float()', "image.convolve(x, k, 'same')" },
      { 'savePNG of noise', picture, 'image.savePNG(path, x)' },
      { 'savePNG of a scene', picture .. ' x = image.scale(image.lena():float(), 256, 256)', 'image.savePNG(path, x)' },
      { 'loadPNG', picture .. ' image.savePNG(path, x)', "image.loadPNG(path, 3, 'float')" },
      { 'loadPNG 3x32x32', picture .. ' image.savePNG(path, x:narrow(2, 1, 32):narrow(3, 1, 32))',
         "image.loadPNG(path, 3, 'float')" },
      { 'saveJPG', picture, 'image.saveJPG(path, x)' },
      { 'loadJPG', picture .. ' image.saveJPG(path, x)', "image.loadJPG(path, 3, 'float')" } },
}

-- Rounds are doubled until they take a while; then the best of five such runs counts.
local function measure(setup, body)
   local source = setup .. ' return function(n) local s = 0 for i = 1, n do ' .. body .. ' end return s end'
   local run = assert(loadstring(source))()
   -- Initialization on first use is not timed.
   run(2)
   local rounds, spent = 1, 0
   while spent < 0.01 do
      rounds = rounds * 2
      local start = now()
      run(rounds)
      spent = now() - start
   end
   local best = math.huge
   for _ = 1, 5 do
      collectgarbage()
      local start = now()
      run(rounds)
      best = math.min(best, (now() - start) / rounds)
   end
   return best * 1e9
end

local wanted, waits, threads = arg[1] or '', arg[2], torch.getnumthreads()
for _, group in ipairs(groups) do
   for k = 2, #group do
      local name, setup, body = unpack(group[k])
      if (group[1] .. ' ' .. name):find(wanted, 1, true) then
         torch.setnumthreads(threads)
         torch.dialect(group.dialect or 't7')
         print(('%s\t%s\t%.1f'):format(group[1], name, measure(setup, body)))
         io.stdout:flush()
         if waits then io.read() end
      end
   end
end
