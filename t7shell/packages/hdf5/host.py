"""What `lua/hdf5` calls."""

FUNCTIONS = dict.fromkeys(("open", "close"), "t7shell.packages.hdf5.opening") | dict.fromkeys(
    (
        "is_open", "child", "path", "names", "describe", "text", "all", "read", "write", "masked",
        "put_masked", "create", "resize",
    ),
    "t7shell.packages.hdf5.files",
)  # fmt: skip
