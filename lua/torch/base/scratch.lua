-- Scratch memory that is reused between calls. The caller owns it from `take` to `give`: a program's debug hook may run
-- the same work in between, and gets other scratch. take(count) and give(scratch) handle the tables of make(count),
-- whose field `count` is their capacity.

return function(make)
   local kept
   local function take(count)
      local room = kept
      kept = nil
      return room and room.count >= count and room or make(count)
   end
   local function give(room) kept = room end
   return take, give
end
