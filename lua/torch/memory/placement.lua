-- The device that memory is on: the one that was current when the memory was allocated.

local setmetatable = setmetatable

-- The number of the current device, of the first one used, which holds most memory, and whether there are several.
local placement = { current = 1, first = 1, several = false }

-- numbers[owner] = the number of its device, for memory that is not on the first one.
local numbers = setmetatable({}, { __mode = 'k' })

-- Records the device of an owner's memory; needed only while `current` is not `first`.
function placement.record(owner) numbers[owner] = placement.current end

function placement.of(owner) return numbers[owner] or placement.first end

return placement
