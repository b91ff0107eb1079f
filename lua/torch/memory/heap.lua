-- Keeps the memory of Lua's heap from one collection to the next. LuaJIT takes it from the system in segments of 128 KB
-- and returns free ones, as most are after a collection. Fresh pages cost more than the objects created in them, and
-- threads of one process block each other while they map and unmap memory. See
-- docs/decisions/0005-driving-the-collector.md.

local pcall = pcall
local table_of_programs = package.loaded.table

-- Loading the function adds it to the programs' table, which they may list.
local own = table_of_programs.new
local new_table = require 'table.new'
table_of_programs.new = own

local heap = {}

-- Bytes between two objects that stay, and the slots of the tables that fill the gaps.
local GAP, SLOTS = 2 ^ 16, 2 ^ 13 - 8

local function mark(bytes)
   local filled = {}
   for i = 1, bytes / GAP do
      filled[i] = new_table(SLOTS, 0)
      filled[i][1] = true
   end
   -- A first field lets a table shrink in place.
   for i = 1, #filled do filled[i].kept = true end
   heap.kept = filled
end

-- Leaves an object in every segment of the given number of bytes, so that none becomes free. Without memory for that,
-- the heap stays as it is.
function heap.keep(bytes) pcall(mark, bytes) end

return heap
