-- Which of several devices memory is on: the one that was chosen when the memory was made.

local setmetatable = setmetatable

-- The number of the device that is chosen, of the one that was chosen first, where most memory is, and whether there
-- are several.
local placement = { chosen = 1, first = 1, several = false }

-- numbers[owner] = the number of its device, for memory that is not on the first one.
local numbers = setmetatable({}, { __mode = 'k' })

-- Notes where the memory of an owner is; needed only while `chosen` is not `first`.
function placement.note(owner) numbers[owner] = placement.chosen end

function placement.of(owner) return numbers[owner] or placement.first end

return placement
