"""What `lua/hdf5` calls. Files, groups and datasets are h5py's objects; positions count from 0 here.

============  ==============================================================================================
open          (path, mode) -> file, or (nil, message)
close         (file) -> (nil, message) where a new file cannot take its name
is_open       (object) -> whether its file is open
child         (group, path) -> 'group' or 'dataset', object; or (nil, message)
path          (object) -> its path in the file
names         (group) -> names of its members
describe      (dataset) -> tensor type or 'string', sizes ...; or (nil, message)
text          (dataset) -> reader of the string it holds, or of several; or (nil, message)
all           (object) -> reader of all it holds, or (nil, message)
read          (dataset, address or nil, start, count, step, size, ...): a box to memory, true; or its element;
              false where the dataset has other sizes; or (nil, message)
write         (dataset, tensor type or number, address or nil, start, count, step, size, ...): as `read`
masked        (dataset, address, mask's address, dimensions, its sizes ..., sizes ...): where a mask is 1
put_masked    (dataset, mask's address, dimensions, sizes ..., values): number, or type, address, count
create        (group, path, writer, growing, deflate or -1, shuffle, chunk sizes ...) -> message or nil
resize        (dataset, sizes ...) -> message or nil
============  ==============================================================================================
"""

FUNCTIONS = {
    name: "t7shell.packages.hdf5.files"
    for name in (
        "open", "close", "is_open", "child", "path", "names", "describe",
        "text", "all", "read", "write", "masked", "put_masked", "create", "resize",
    )
}  # fmt: skip
