-- Files that are taken for .t7 files, by their first bytes: what they are, and what to do. A line each, which
-- t7shell/t7file reads, too. White space and a byte order mark before them do not count, nor capitals after `<`.

return {
   { 'PK\003\004', 'a zip archive, as PyTorch writes models', 'load it with PyTorch' },
   { '\128\002', 'a pickle of Python, as older PyTorch wrote models', 'load it with PyTorch' },
   { '\128\003', 'a pickle of Python', 'load it with Python' },
   { '\128\004', 'a pickle of Python', 'load it with Python' },
   { 'version ', 'a pointer of Git LFS, not the file itself', 'fetch it by: git lfs pull' },
   { '<!doctype', 'a web page, not the file itself', 'download the file again, by its own address' },
   { '<html', 'a web page, not the file itself', 'download the file again, by its own address' },
   { '<head', 'a web page, not the file itself', 'download the file again, by its own address' },
   { '<?xml', 'a web page, not the file itself', 'download the file again, by its own address' },
   { '\031\139', 'compressed by gzip', 'decompress it by: gunzip' },
   { 'BZh', 'compressed by bzip2', 'decompress it by: bunzip2' },
   { '\2537zXZ', 'compressed by xz', 'decompress it by: unxz' },
   { '\040\181\047\253', 'compressed by zstd', 'decompress it by: unzstd' },
   { '\137PNG', 'a picture', 'read it with image.load' },
   { '\255\216\255', 'a picture', 'read it with image.load' },
   { 'MATLAB ', 'a file of MATLAB', 'read it with matio' },
   { '\137HDF', 'an HDF5 file', 'open it with hdf5.open, or with h5py' },
   { '\147NUMPY', 'an array of NumPy', 'read it with npy4th, or with NumPy' },
   { '\027LJ', 'compiled Lua code', 'run it with dofile' },
}
