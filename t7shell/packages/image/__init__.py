"""Files of pictures, test pictures, and where pictures are shown: Python's part of the package `image`."""

FUNCTIONS = {
    ".files": "limit head load load_bytes save encode can_save size_error",
    ".pictures": "test_picture",
}
