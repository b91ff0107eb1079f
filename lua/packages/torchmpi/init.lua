-- torchmpi: the package `mpi` by the name of TorchMPI.
return require 'mpi'
