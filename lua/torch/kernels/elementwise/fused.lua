-- Element-wise work as small programs in the rows of ops/: "a = multiply y v; z = add x a".
--
-- A step is `register = ufunc register ...` (a loop of NumPy by pointer) or `register = (expression)` (a LuaJIT
-- loop over single elements; `divide(m, n)` truncates for integers). Registers: x y w are the tensors of a call,
-- v u its numbers, z the result, a b c scratch of the own type, q scratch of bytes; numbers stand for themselves.
-- `select q a b` is a where the comparison in q holds, else b; `rest x y a` is x - y a in doubles, rounded once.
-- `ufunc:u` takes the bits of elements as unsigned integers, `ufunc:i` as signed ones, comparisons give bytes.
-- Only the last step writes z, so that the result may be an operand as well.
--
-- A program becomes a function run(x, x_step, [y, ...,] z, z_step, count): pointers, steps in bytes. Rows name programs
-- (see init.lua), and install.operation makes a function of one: tensors of any layout, checked, on all cores.

local ceil, exp, floor, min = math.ceil, math.exp, math.floor, math.min
local concat, find, ipairs, pairs = table.concat, string.find, ipairs, pairs
local tonumber, type, unpack = tonumber, type, unpack
local ffi = require 'ffi'
local element = require 'torch.base.element'
local cast = ffi.cast
local anchor = require('torch.memory.buffers').anchor
local ufunc_loops, native = require 'torch.parallel.ufunc_loops', require 'torch.native.native'
local fused_chunks, parallel_for = require 'torch.parallel.fused_chunks', require 'torch.parallel.parallel_for'
local loop_function, unroll = require 'torch.native.loop_function', require 'torch.jit.unroll'
local vector_code = require 'torch.kernels.elementwise.vector_code'
local share = parallel_for.kind('torch.parallel.fused_chunks', 'run')

local share_pieces = parallel_for.kind('torch.parallel.memory_chunks', 'pieces')
local TOTAL_PIECE = require('torch.base.tuning').TOTAL_PIECE
local template = require 'torch.jit.template'
local char_p = ffi.typeof 'char *'

local fused = {}

local sums, capacity = nil, 0
local function doubles(count)
   if count > capacity then sums, capacity = native.buffer('double', count), count end
   return sums
end

local BLOCK = fused_chunks.BLOCK

local gives_bytes = { less = true, less_equal = true, greater = true, greater_equal = true, equal = true,
   not_equal = true }

-- Loops whose results do not depend on how elements lie in memory; those of others may have vector code for some steps.
local exact = {}
for name in ([[add subtract multiply divide minimum maximum fmin fmax absolute negative floor ceil trunc square sqrt]])
   :gmatch('%S+') do
   exact[name] = true
end
for name in pairs(gives_bytes) do exact[name] = true end

-- Loops of NumPy without vector instructions for an operand that is one number: faster with a row of it.
local SLOW_WITH_NUMBER = { minimum = true, maximum = true, fmin = true, fmax = true }

local EXPRESSIONS = { select = '%s ~= 0 and %s or %s', rest = '%s - %s * %s' }

local function parse(text)
   local steps = {}
   for step in (text .. ';'):gmatch('%s*(.-)%s*;') do
      local to, work = step:match('^(%a) = (.*)$')
      local expression = work:match('^%((.*)%)$')
      if expression then
         steps[#steps + 1] = { to = to, expression = expression }
      else
         local ufunc, from = work:match('^([%w_:]+) (.*)$')
         local operands = {}
         for operand in from:gmatch('%S+') do operands[#operands + 1] = operand end
         steps[#steps + 1] = { to = to, ufunc = ufunc, operands = operands,
            expression = EXPRESSIONS[ufunc] and EXPRESSIONS[ufunc]:format(unpack(operands)) }
      end
   end
   return steps
end

-- Steps in which numbers of a call, the keys of `scalars`, are rows for the loops that are slow with a number. Returns
-- whether the program goes block after block, too: no row is longer.
local function with_rows(steps, scalars)
   local all, made, in_blocks = {}, {}, #steps > 1
   for _, step in ipairs(steps) do
      local operands = step.operands
      if operands and SLOW_WITH_NUMBER[step.ufunc:match '^[^:]*'] then
         for i, register in ipairs(operands) do
            in_blocks = in_blocks or scalars[register] or tonumber(register)
            if scalars[register] then
               local row = register:upper()
               if not made[row] then
                  all[#all + 1] = { to = row, ufunc = 'multiply', operands = { register, '1' }, is_row = true }
               end
               operands[i], made[row] = row, true
            end
         end
      end
      all[#all + 1] = step
   end
   return all, in_blocks
end

-- Whether all steps of programs are exact; `special` is a list of conditions and texts.
function fused.is_exact(text, special)
   for _, step in ipairs(parse(text)) do
      if not exact[step.ufunc] then return false end
   end
   for i = 2, #special, 2 do
      if not fused.is_exact(special[i], {}) then return false end
   end
   return true
end

local loop_source = [[
return function($parameters, n)
   $steps
   if $unit then
      $short
      for i = 0, n - 1 do
         $unit_reads
         z_p[i] = $expression
      end
   else
      for i = 0, n - 1 do
         $reads
         z_p[i * z_s] = $expression
      end
   end
end]]

-- Division as C does it for integers.
local function divide(m, n)
   local q = m / n
   return q < 0 and ceil(q) or floor(q)
end

local function divide_int64(m, n) return m / n end

local function read(r, i) return (r == 'q' and '%s_p[%s]' or 'get(%s_p, %s)'):format(r, i) end

-- Source for up to SHORT elements without a loop: the caller's loop is compiled as one trace.
local SHORT = 63

local function short_source(registers, expression)
   local pointers, moved, reads = {}, {}, {}
   for _, r in ipairs(registers) do
      if r ~= 'v' and r ~= 'u' then
         pointers[#pointers + 1], moved[#moved + 1] = r .. '_p', r .. '_p + %d'
         if r ~= 'z' then reads[#reads + 1] = ('local %s = %s'):format(r, read(r, '%d')) end
      end
   end
   local turn = ('do %s z_p[%%d] = %s end'):format(concat(reads, ' '), expression)
   return ('if n <= %d then\n%s\nreturn\nend'):format(SHORT,
      unroll.chunks((SHORT + 1) / 2, 'n', turn, concat(pointers, ', ') .. ' = ' .. concat(moved, ', ')))
end

-- A LuaJIT loop for an expression: f(pointer, step, ..., result, step, count) over the registers it names.
local function make_loop(name, T, expression, registers, size)
   local parameters, steps, unit, unit_reads, reads = {}, {}, {}, {}, {}
   for _, r in ipairs(registers) do
      parameters[#parameters + 1] = r .. '_p, ' .. r .. '_s'
      if r == 'v' or r == 'u' then
         steps[#steps + 1] = ('local %s = %s_p[0]'):format(r, r)
      else
         steps[#steps + 1] = ('%s_s = %s_s / %d'):format(r, r, size[r])
         unit[#unit + 1] = r .. '_s == 1'
         if r ~= 'z' then
            unit_reads[#unit_reads + 1] = ('local %s = %s'):format(r, read(r, 'i'))
            reads[#reads + 1] = ('local %s = %s'):format(r, read(r, 'i * ' .. r .. '_s'))
         end
      end
   end
   -- Branches on data are better off in a loop.
   local is_plain = find(expression, '[<>]') == nil and not T.integer
   return template.compile(name, loop_source, { parameters = concat(parameters, ', '), steps = concat(steps, '\n'),
      unit = concat(unit, ' and '), unit_reads = concat(unit_reads, '; '), reads = concat(reads, '; '),
      expression = expression, short = is_plain and short_source(registers, expression) or '' },
      { divide = T.name == 'Long' and divide_int64 or divide, exp = exp, floor = floor,
         get = element.reader(T) })
end

-- The steps as data that any state can run: the record of a call, the register of each name, and nanoseconds for an
-- element; nil where a step is an expression or has no pointer. what(name) gives of a register: the size of an
-- element for scratch, a buffer for a number, a buffer and a size for a row of a number, nil for tensors.
local function record_of(steps, inputs, what)
   local record, numbers, work = fused_chunks.ct(), {}, 0
   local kept = {}
   local function number(name)
      if not numbers[name] then
         local n, object, size = record.registers, what(name)
         assert(n < fused_chunks.MOST_REGISTERS)
         numbers[name], record.registers = n, n + 1
         if type(object) == 'number' then record.scratch[n] = object
         elseif object then
            record.base[n], record.scratch[n], kept[#kept + 1] = cast(char_p, object), size or 0, object
         end
      end
      return numbers[name]
   end
   for _, register in ipairs(inputs) do number(register) end
   number 'z'
   for k, step in ipairs(steps) do
      if not step.fn or k > fused_chunks.MOST_STEPS then return nil end
      local to = record.step[k - 1]
      to.fn, to.data = step.fn, step.data
      for i, register in ipairs(step.operands) do to.operands[i - 1] = number(register) end
      to.operands[#step.operands], to.count = number(step.to), #step.operands + 1
      work = work + step.work
   end
   record.count, anchor[record] = #steps, kept
   return record, numbers, work
end

local block_source = [[
return function($all, n)
$calls
end]]

-- A program of several steps runs block after block.
local long_source = [[
local function long($all, n)
   while n > $BLOCK do
      run($all, $BLOCK)
$forward
      n = n - $BLOCK
   end
   run($all, n)
end
]]

local alone_source = [[
return function($all, n)
   if n > $BLOCK then return long($all, n) end
   return run($all, n)
end]]

local shared_source = [[
local base, stride = record.base, record.stride
return function($all, n)
   if n < $few then return run($all, n) end
$fill
   if n >= $LEAST and $apart then return share(n, $UNIT, n * $work, record) end
   return run_record(record, 0, n)
end]]

-- The number in an operand such as 6 or -1:i, and the C type of its elements; nil for registers.
local function literal(operand, T)
   local digits, kind = operand:match('^([^:]*)(:?i?)$')
   local number = tonumber(digits)
   return number, number and kind == ':i' and 'int' .. T.size * 8 .. '_t' or T.c
end

local function contains(list, value)
   for _, item in ipairs(list) do
      if item == value then return true end
   end
   return false
end

local function make(name, R, T, text, inputs, scalars)
   local steps, in_blocks = with_rows(parse(text), scalars)
   if R == T and (in_blocks or vector_code.functions[steps[1].ufunc]) then
      local fn, work = vector_code.loop(T, parse(text), inputs, scalars)
      if fn then
         local alone = loop_function(name, fn, nil, #inputs)
         return ufunc_loops.shared(name, fn, nil, #inputs, alone, work), alone
      end
   end
   local values, count, parameters, calls, small_calls = {}, 0, {}, {}, {}
   local size = { q = 1, z = R.size }
   local function value(object)
      count = count + 1
      values['k' .. count] = object
      return 'k' .. count
   end
   local scratch, rows = {}, {}
   local function operand(register, step)
      if contains(inputs, register) or register == 'z' then return register .. ', ' .. register .. '_s' end
      if scalars[register] then
         scratch[register] = scratch[register] or value(scalars[register])
         return scratch[register] .. ', 0'
      end
      local number, c = literal(register, T)
      if number then
         local room = (SLOW_WITH_NUMBER[step.plain] or step.is_row) and BLOCK or 1
         local buffer = native.buffer(c, room)
         for i = 0, room - 1 do buffer[i] = number end
         if room > 1 then rows[register] = buffer end
         return value(buffer) .. ', ' .. (room > 1 and T.size or 0)
      end
      if not scratch[register] then
         scratch[register] = value(native.buffer(register == 'q' and 'uint8_t' or T.c, BLOCK))
      end
      return scratch[register] .. ', ' .. (register == 'q' and 1 or T.size)
   end
   for _, register in ipairs(inputs) do
      parameters[#parameters + 1] = register .. ', ' .. register .. '_s'
      size[register] = T.size
   end
   local direct
   for _, step in ipairs(steps) do
      local f, alone, operands
      if step.expression then
         operands = {}
         for register in step.expression:gmatch('%f[%w_][%a]%f[^%w_]') do
            if not contains(operands, register) then operands[#operands + 1] = register end
         end
         for _, register in ipairs(operands) do size[register] = size[register] or T.size end
         local named = { unpack(operands) }
         named[#named + 1] = 'z'
         f = make_loop(name, T, step.expression, named, step.to == 'z' and size or { z = T.size, x = T.size, y = T.size,
            w = T.size, a = T.size, b = T.size, c = T.size, q = 1 })
      else
         operands = step.operands
         local ufunc, kind = step.ufunc:match('^(.-)(:?[iu]?)$')
         local dtype = T.dtype
         if kind == ':u' and not T.unsigned then dtype = 'uint' .. T.size * 8 end
         if kind == ':i' then
            dtype = 'int' .. T.size * 8
            for i, given in ipairs(operands) do operands[i] = tonumber(given) and given .. kind or given end
         end
         step.plain = ufunc
         local signature = {}
         for i = 1, #operands do signature[i] = dtype end
         signature[#signature + 1] = gives_bytes[ufunc] and 'bool' or dtype
         alone = native.loop_alone(ufunc, unpack(signature))
         f = in_blocks and alone or ufunc_loops.get(ufunc, unpack(signature))
         if in_blocks then
            step.fn, step.data = native.raw_loop(ufunc, unpack(signature))
            step.work = ufunc_loops.work(ufunc, unpack(signature))
         elseif concat(operands) == concat(inputs) then
            direct = f
         end
      end
      local list, small_list = {}, {}
      for i, register in ipairs(operands) do
         list[i] = operand(register, step)
         -- Rows of numbers do not repay for a few elements.
         small_list[i] = register:find '%u' and operand(register:lower(), step) or list[i]
      end
      list[#list + 1] = operand(step.to, step)
      small_list[#list] = list[#list]
      calls[#calls + 1] = ('   %s(%s, n)'):format(value(f), concat(list, ', '))
      if not step.is_row then
         small_calls[#small_calls + 1] = ('   %s(%s, n)'):format(value(alone or f), concat(small_list, ', '))
      end
   end
   local all = concat(parameters, ', ') .. ', z, z_s'
   local function made(list)
      return template.compile(name, block_source, { all = all, calls = concat(list, '\n') }, values)
   end
   -- A loop whose arguments are those of the program is its function, whose rows can be shared between cores.
   local run, small = direct or made(calls), made(small_calls)
   if not in_blocks then return run, small end
   local forward = {}
   for _, register in ipairs(inputs) do
      forward[#forward + 1] = ('      %s = %s + %d * (%s_s / %d)'):format(register, register, BLOCK, register, T.size)
   end
   forward[#forward + 1] = ('      z = z + %d * (z_s / %d)'):format(BLOCK, R.size)
   local record, numbers, work = record_of(steps, inputs, function(register)
      if contains(inputs, register) or register == 'z' then return nil end
      if scalars[register] then return scalars[register] end
      local number, c = literal(register, T)
      if number and rows[register] then return rows[register], T.size end
      if number then return ffi.new(c .. '[1]', number) end
      return register == 'q' and 1 or T.size
   end)
   local text_of = { all = all, BLOCK = BLOCK, forward = concat(forward, '\n') }
   if not record then return template.compile(name, long_source .. alone_source, text_of, { run = run }), small end
   local fill, apart = {}, { 'z_s > 0' }
   for i = 1, #inputs + 1 do
      local register = inputs[i] or 'z'
      local n = numbers[register]
      fill[i] = ('      base[%d], stride[%d] = cast(char_p, %s), %s_s'):format(n, n, register, register)
      if register ~= 'z' then apart[#apart + 1] = ('independent(%s, %s_s, z, z_s, n)'):format(register, register) end
   end
   text_of.UNIT, text_of.work, text_of.LEAST = ufunc_loops.UNIT, work, parallel_for.LEAST / work
   text_of.few = min(BLOCK + 1, text_of.LEAST)
   text_of.fill, text_of.apart = concat(fill, '\n'), concat(apart, ' and ')
   return template.compile(name, shared_source, text_of, { run = run, record = record, cast = cast, char_p = char_p,
      share = share, run_record = fused_chunks.run, independent = ufunc_loops.independent }), small
end

-- The function of a program, and one for up to BLOCK elements on one core. `inputs` lists the tensor registers in
-- order; `scalars` maps v and u to buffers that hold the numbers of a call.
function fused.make(name, R, T, text, inputs, scalars)
   local run, small = make(name, R, T, text, inputs, scalars)
   if R == T then
      local record = ufunc_loops.records[run] or {}
      ufunc_loops.records[run] = record
      record.rows = record.rows or function(spread) return fused.rows(T, text, inputs, spread, false, scalars) end
      record.T, record.inputs = T, inputs
   end
   return run, small
end

local total_source = [[
return function($parameters, count)
   local pieces = ceil(count / $PIECE)
   local sums = memory(pieces)
   $args, p.args[$inputs] = $casts, cast(char_p, sums)
   share(count, $PIECE, count * $work, p)
   local total = 0
   for k = 0, pieces - 1 do total = total + returned(sums[k]) end
   return total
end]]

-- The loop of a program whose inputs of the set `spread` are one element each, as a pointer; nil without vectors.
function fused.loop(T, text, inputs, spread)
   return (vector_code.loop(T, parse(text), inputs, {}, spread))
end

-- The loop that stores the sum of a program's results over neighbors as a double, as a pointer, and nanoseconds for an
-- element; nil without vectors.
function fused.row_total(T, text, inputs) return vector_code.total(T, parse(text), inputs, {}) end

-- The code of a program over rows, see row_programs.lua, as a pointer, and nanoseconds for an element; nil without
-- vectors.
function fused.rows(T, text, inputs, spread, adds, scalars)
   return vector_code.rows(T, parse(text), inputs, spread, adds, scalars)
end

-- The sum of the results of a program over contiguous operands, in double precision: f(x, ..., count). nil where a step
-- has no code for vectors.
function fused.total(name, T, text, inputs, scalars)
   local fn, work = vector_code.total(T, parse(text), inputs, scalars)
   if not fn then return nil end
   local p, list, args, casts = ffi.new 't7_loop', {}, {}, {}
   p.fn, p.steps[#inputs] = fn, 8 / TOTAL_PIECE
   for i, input in ipairs(inputs) do
      p.steps[i - 1], list[i] = T.size, input
      args[i], casts[i] = ('p.args[%d]'):format(i - 1), ('cast(char_p, %s)'):format(input)
   end
   return template.compile(name, total_source, { parameters = concat(list, ', '), inputs = #inputs, work = work,
      args = concat(args, ', '), casts = concat(casts, ', '), PIECE = TOTAL_PIECE },
      { memory = doubles, p = p, share = share_pieces, cast = cast, char_p = char_p, ceil = ceil,
         returned = element.returned })
end

local number_source = [[
return function($inputs)
   $stores
   run($pointers, z, size, 1)
   return (get(z, 0))
end]]

-- The number that a program gives for numbers, computed in the type T: f(x, y, w).
function fused.number(name, T, text, inputs)
   local stores, pointers = {}, {}
   local upvalues = { run = fused.make(name, T, T, text, inputs, {}), z = native.buffer(T.c, 1),
      get = element.getter(T), size = T.size }
   for i, x in ipairs(inputs) do
      stores[i], pointers[i], upvalues[x .. '_p'] = x .. '_p[0] = ' .. x, x .. '_p, size', native.buffer(T.c, 1)
   end
   return template.compile(name, number_source, { inputs = concat(inputs, ', '), stores = concat(stores, '; '),
      pointers = concat(pointers, ', ') }, upvalues)
end

return fused
