-- mpi: the processes that `mpiexec -n 4 t7 train.lua` started, by mpi4py. Ranks count from 0, as MPI counts them.
-- Tensors go from memory to memory and are changed in place; other values go as torch.serialize writes them.
-- See docs/decisions/0025-training-on-many-processes.md.

local floor, io, ipairs, max, pcall, rawset, require = math.floor, io, ipairs, math.max, pcall, rawset, require
local host = require 'torch.native.host'
local functions = host.of 'mpi'
local torch = require 'torch'
local errors = require 'torch.base.errors'

local ok, rank, size, neighbours, largest_tag = pcall(host.raw[functions.start])
if not ok then
   errors.raise('mpi: mpi4py and an MPI library are missing: pip install mpi4py mpich installs them (%s)',
      (string.gsub(tostring(rank), '^%w*Error: ', '')))
end
if not rank then errors.raise('mpi: %s', size) end

local mpi = { anyRank = -1, anyTag = -1 }
rawset(_G, 'mpi', mpi)

function mpi.rank() return rank end
function mpi.size() return size end

-- Keeps lines that several ranks print at once from mixing.
io.stdout:setvbuf 'line'

-- The processes of this machine share its cores.
torch.setnumthreads(max(1, floor(torch.getnumcores() / neighbours)))

for _, part in ipairs { 'collectives', 'messages', 'torchmpi_names' } do
   require('mpi.' .. part)(mpi, functions, largest_tag)
end

return mpi
