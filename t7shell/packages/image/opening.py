"""Opening pictures of others. Pillow chooses a reader by content, and some of its readers start programs."""

from __future__ import annotations

from typing import IO

from PIL import Image

# Read within the process and from the file alone, by Pillow's names. EPS starts Ghostscript, IPTC opens what
# it holds by content again, and WMF, BUFR, GRIB and HDF5 pass the file on to whatever was registered.
READABLE = (
    "PNG", "JPEG", "PPM", "GIF", "BMP", "TIFF", "WEBP", "JPEG2000", "AVIF", "DIB", "ICO", "ICNS", "CUR",
    "DCX", "DDS", "FLI", "MSP", "PCD", "PCX", "PSD", "QOI", "SGI", "SUN", "TGA", "XBM", "XPM",
)  # fmt: skip


def open_picture(source: str | IO[bytes], formats: tuple[str, ...] = READABLE) -> Image.Image:
    """A picture of one of the formats, whose pixels are not read yet.

    Raises UnidentifiedImageError for other content, whatever the name says, and what Pillow's readers raise.
    """
    return Image.open(source, formats=formats)
