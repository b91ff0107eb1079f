-- Keeps the memory of Lua's heap from one collection to the next. LuaJIT takes it from the system in segments of 128 KB
-- and returns those that are free; after a collection most are. New pages cost more than what is made in them, and
-- threads of one process wait for each other when they take and return some. See
-- docs/decisions/0005-driving-the-collector.md.

local pcall = pcall
local table_of_programs = package.loaded.table

-- Loading the function makes it a field of the programs' table, which they may list.
local own = table_of_programs.new
local new_table = require 'table.new'
table_of_programs.new = own

local heap = {}

-- Bytes between two objects that stay, and the slots of a table that fills them.
local GAP, SLOTS = 2 ^ 16, 2 ^ 13 - 8

local function mark(bytes)
   local filled = {}
   for i = 1, bytes / GAP do
      filled[i] = new_table(SLOTS, 0)
      filled[i][1] = true
   end
   -- A first field lets a table shrink where it lies.
   for i = 1, #filled do filled[i].kept = true end
   heap.kept = filled
end

-- Leaves an object in every segment of so many bytes: no segment becomes free. Where there is no memory for that, the
-- heap is left as it is.
function heap.keep(bytes) pcall(mark, bytes) end

return heap
