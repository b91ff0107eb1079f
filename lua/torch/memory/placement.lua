-- Which of several devices memory is on: the one that was chosen when the memory was made.

local setmetatable = setmetatable

-- The number of the device that is chosen, and of the one that was chosen first: most memory is there.
local placement = { chosen = 1, first = 1 }

-- numbers[owner] = the number of its device, for memory that is not on the first one.
local numbers = setmetatable({}, { __mode = 'k' })

-- Notes where the new memory of an owner is; nothing is to be noted while `chosen` is `first`.
function placement.note(owner) numbers[owner] = placement.chosen end

function placement.of(owner) return numbers[owner] or placement.first end

-- Lets memory move to another owner.
function placement.move(from, to) numbers[to] = numbers[from] end

return placement
