-- torchmpi.nn: networks that are trained on all ranks at once.
return require 'mpi.nn'
