-- Machine code of pooling: back(T) adds elements to the elements of a plane that indices name, counted from 1. It is a
-- function of a t7_nn_back, in which it counts the indices that are neither 0, which means none, nor inside the plane;
-- nil without machine code. See docs/decisions/0028-vector-code.md.

local ffi = require 'ffi'
local assembler = require 'torch.native.assembler'

ffi.cdef 'typedef struct { char *plane, *from; int64_t *index; intptr_t count, area, wrong; } t7_nn_back;'

local pooling_code = {}

local RAX, RCX, RDX, RDI = 0, 1, 2, 7
local PLANE, FROM, INDEX, WRONG = 8, 9, 10, 11

local function make(T)
   local code, S = assembler.new(T), T.size
   local again, next_one, none, done = {}, {}, {}, {}
   for i, register in ipairs { PLANE, FROM, INDEX, RCX, RDX, WRONG } do code:get(register, RDI, 8 * (i - 1)) end
   local to = { base = PLANE, index = RAX, scale = S }
   code:place(again)
   code:get(RAX, INDEX, 0)
   code:with_number('subtract', RAX, 1)
   code:compare_with(RAX, RDX)
   code:jump('jae', none)
   code:load_one(0, { base = FROM })
   code:add_one(0, 0, to)
   code:store_one(0, to)
   code:place(next_one)
   code:with_number('add', INDEX, 8)
   code:with_number('add', FROM, S)
   code:with_number('subtract', RCX, 1)
   code:jump('jnz', again)
   code:jump('always', done)
   code:place(none)
   code:with_number('compare', RAX, -1)
   code:jump('jz', next_one)
   code:with_number('add', WRONG, 1)
   code:jump('always', next_one)
   code:place(done)
   code:set(RDI, 40, WRONG)
   code:leave()
   return code:finish()
end

local made = {}

function pooling_code.back(T)
   if not assembler.possible() then return nil end
   made[T] = made[T] or make(T)
   return made[T]
end

return pooling_code
