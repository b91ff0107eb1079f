-- Scratch that is kept from call to call. It is the caller's from `take` to `give`: a program's debug hook may run the
-- same work in between, and gets scratch of its own.

-- take(count), give(room) of rooms that make(count) makes, tables whose field `count` says for how much they are.
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
