"""What `lua/gm` calls."""

FUNCTIONS = dict.fromkeys(
    (
        "open", "decode", "make", "pixels", "write", "encode", "size", "property", "profile",
        "set_gamma", "set_profile",
    ),
    "t7shell.packages.gm.pictures",
) | {"change": "t7shell.packages.gm.operations"}  # fmt: skip
