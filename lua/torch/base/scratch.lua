-- Scratch memory that is reused between calls. The caller owns it from `take(count)` to `give(scratch)`; a debug hook
-- that runs the same code meanwhile gets other scratch. make(count) makes a table whose field `count` is its capacity.

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
