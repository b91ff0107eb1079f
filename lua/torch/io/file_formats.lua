-- Facts about the .t7 format as tables. t7shell/t7file/model.py parses their rows as text, so each stays on one line.

local file_formats = {}

-- The records of a file: a tag, which is an int, and contents. This table is the only list of the tags.
--
-- An indexed record has an index, an int, before its contents. If the index occurred before in the file, the record
-- ends there and refers to the earlier object. The contents, in order:
--
--    NIL              nothing
--    NUMBER           a double
--    STRING           its length, an int, and its bytes
--    TABLE            the number of entries, an int; for each the records of key and value
--    TORCH            'V 1' and the class name, as strings without tag; then the contents by the class: its table of
--                     fields unless it has a write method, sizes, strides and the storage's record for a tensor
--    BOOLEAN          an int, 0 or 1
--    PLAIN_FUNCTION   bytecode, as a string without tag, and the table of upvalues, by value
--    OLD_FUNCTION     the same
--    FUNCTION         the same; upvalues are tables with the fields name, id and value
file_formats.records = {
   { name = 'NIL', tag = 0 },
   { name = 'NUMBER', tag = 1 },
   { name = 'STRING', tag = 2 },
   { name = 'TABLE', tag = 3, indexed = true },
   { name = 'TORCH', tag = 4, indexed = true },
   { name = 'BOOLEAN', tag = 5 },
   { name = 'PLAIN_FUNCTION', tag = 6 },
   { name = 'OLD_FUNCTION', tag = 7, indexed = true },
   { name = 'FUNCTION', tag = 8, indexed = true },
}

-- Classes whose objects have a format of their own instead of a table of their fields: what follows the class name.
file_formats.of_class = {
   ['tds.Hash'] = 'pairs',            -- a long, and as many keys and values
   ['tds.Vec'] = 'list',              -- a long, and as many values
   ['tds.AtomicCounter'] = 'long',    -- a long
}

-- Files that are mistaken for .t7 files, by their first bytes: what they are, and what to do. White space and a byte
-- order mark before these bytes are ignored, and so is the case of letters after `<`.
file_formats.others = {
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

return file_formats
