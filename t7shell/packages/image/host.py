"""What `lua/image` calls."""

FUNCTIONS = {
    **dict.fromkeys(
        ("limit", "head", "load", "load_bytes", "save", "encode", "can_save", "misfit"),
        "t7shell.packages.image.files",
    ),
    "test_picture": "t7shell.packages.image.pictures",
}
