"""Files of pictures, test pictures, and where pictures are shown: Python's part of the package `image`."""
