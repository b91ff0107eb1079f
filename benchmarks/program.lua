-- Times one program of programs/ and prints the microseconds of a step. A program returns a function, which does some
-- steps, and their number.
local path = arg[1]
torch.manualSeed(1)
local run, steps = assert(loadfile(path))()
local clock = sys.clock
local start = clock()
while clock() - start < 0.2 do run() end
local times, begun = 0, clock()
repeat
   for _ = 1, 10 do run() end
   times = times + 10
until clock() - begun > 0.3
print((clock() - begun) / times / steps * 1e6)
