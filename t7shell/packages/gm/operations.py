"""Operations that make a new picture of a picture, by the names of methods in Lua."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PIL import Image, ImageChops, ImageColor, ImageEnhance, ImageFilter, ImageOps

from t7shell.host.failures import returning_failures
from t7shell.packages.gm.pictures import COLORSPACES, FAILURES, TYPES, Failure, Picture, _eight_bits, words_of

_Resampling = Image.Resampling
# The nearest filters of Pillow.
_FILTERS = {
    "undefined": _Resampling.LANCZOS, "point": _Resampling.NEAREST, "box": _Resampling.BOX,
    "triangle": _Resampling.BILINEAR, "hermite": _Resampling.BILINEAR, "hanning": _Resampling.HAMMING,
    "hamming": _Resampling.HAMMING, "blackman": _Resampling.LANCZOS, "gaussian": _Resampling.BICUBIC,
    "quadratic": _Resampling.BICUBIC, "cubic": _Resampling.BICUBIC, "catrom": _Resampling.BICUBIC,
    "mitchell": _Resampling.BICUBIC, "lanczos": _Resampling.LANCZOS, "bessel": _Resampling.LANCZOS,
    "sinc": _Resampling.LANCZOS,
}  # fmt: skip
_MAX_PIXELS = 2**28  # pixels of a picture that is made
_PLAIN = ("L", "LA", "RGB", "RGBA", "CMYK")


def _check_size(width: float, height: float) -> None:
    if width * height > _MAX_PIXELS:
        raise ValueError(f"expected an image of at most {_MAX_PIXELS} pixels (got {width:.0f}x{height:.0f})")


def _with_colour(picture: Picture, words: tuple[Any, ...]) -> tuple[Picture, tuple[int, ...] | int]:
    """The picture, in colours if the colour is not grey, and the colour: a name, or red, green and blue from
    0 to 1."""
    if isinstance(words[0], str):
        name = words[0]
    else:
        name = "rgb({}, {}, {})".format(*(round(255 * min(1.0, max(0.0, level))) for level in words))
    if picture.mode in ("L", "LA") and len(set(ImageColor.getrgb(name)[:3])) > 1:
        picture = picture.convert("RGB" if picture.mode == "L" else "RGBA")
    return picture, ImageColor.getcolor(name, picture.mode)


def _resize(picture: Picture, width: float, height: float, name: str | None = None) -> Picture:
    resampling = _FILTERS.get((name or "Undefined").lower())
    if resampling is None:
        raise ValueError(f"unknown filter '{name}'")
    _check_size(width, height)
    return picture.resize((int(width), int(height)), resampling)


def _crop(picture: Picture, width: float, height: float, x: float | None = 0, y: float | None = 0) -> Picture:
    left, top = int(x or 0), int(y or 0)
    right, bottom = min(left + int(width), picture.width), min(top + int(height), picture.height)
    if left < 0 or top < 0 or right <= left or bottom <= top:
        raise ValueError(
            f"{int(width)}x{int(height)} at ({left}, {top}) is outside of {picture.width}x{picture.height}"
        )
    return picture.crop((left, top, right, bottom))


def _rotate(picture: Picture, degrees: float, *colour: Any) -> Picture:
    picture, filling = _with_colour(picture, colour)
    return picture.rotate(-degrees, _Resampling.BICUBIC, expand=True, fillcolor=filling)


def _border(picture: Picture, width: float, height: float, *colour: Any) -> Picture:
    across, down = int(width), int(height)
    _check_size(picture.width + 2 * across, picture.height + 2 * down)
    border = (across, down, across, down)
    picture, filling = _with_colour(picture, colour)
    return ImageOps.expand(picture, border, filling)


def _unsharp(
    picture: Picture, _: float | None = 0, sigma: float | None = 1, amount: float | None = 1,
    threshold: float | None = 0.05,
) -> Picture:  # fmt: skip
    radius, percent = 1 if sigma is None else sigma, round(100 * (1 if amount is None else amount))
    threshold = 0.05 if threshold is None else threshold
    return picture.filter(ImageFilter.UnsharpMask(radius, percent, round(255 * threshold)))


def _gamma_correction(picture: Picture, gamma: float, plane: str | None = None) -> Picture:
    curve = [round(255 * (value / 255) ** (1 / gamma)) for value in range(256)]
    chosen = {"Red": "R", "Green": "G", "Blue": "B"}.get(plane or "All", "RGBLCMYK")
    planes = [part.point(curve) if band in chosen else part
              for band, part in zip(picture.getbands(), picture.split(), strict=True)]  # fmt: skip
    return Image.merge(picture.mode, planes)


def _modulate(
    picture: Picture, bright: float | None = 1, saturation: float | None = 1, hue: float | None = 1
) -> Picture:
    picture = ImageEnhance.Brightness(picture).enhance(1 if bright is None else bright)
    picture = ImageEnhance.Color(picture).enhance(1 if saturation is None else saturation)
    if hue is not None and hue != 1:
        h, s, v = picture.convert("HSV").split()
        shift = round((hue - 1) * 128)
        turned = Image.merge("HSV", (h.point(lambda value: (value + shift) % 256), s, v))
        picture = turned.convert(picture.mode)
    return picture


def _type(picture: Picture, name: str) -> Picture:
    mode = TYPES.get(name)
    if mode is None:
        raise ValueError(f"type must be one of {', '.join(sorted(TYPES))} (got '{name}')")
    return picture.convert(mode)


def _colorspace(picture: Picture, name: str) -> Picture:
    mode = COLORSPACES.get(name)
    if mode is None:
        raise ValueError(f"colorspace must be one of {', '.join(sorted(COLORSPACES))} (got '{name}')")
    if mode == "LAB":
        from PIL import ImageCms

        profiles = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
        return ImageCms.profileToProfile(picture.convert("RGB"), *profiles, outputMode="LAB") or picture
    return picture.convert(mode)


def _negate(picture: Picture) -> Picture:
    if picture.mode in ("LA", "RGBA"):
        *planes, alpha = picture.split()
        return Image.merge(picture.mode, (*map(ImageChops.invert, planes), alpha))
    return ImageChops.invert(picture)


def _opaque(function: Callable[[Picture], Picture]) -> Callable[[Picture], Picture]:
    """An operation of ImageOps for pictures that may have an alpha plane, which stays."""

    def applied(picture: Picture) -> Picture:
        if picture.mode not in ("LA", "RGBA"):
            return function(picture)
        result = function(picture.convert(picture.mode[:-1]))
        result.putalpha(picture.getchannel("A"))
        return result

    return applied


_OPERATIONS: dict[str, Callable[..., Picture]] = {
    "clone": lambda picture: picture.copy(),
    "resize": _resize,
    "crop": _crop,
    "flip": ImageOps.flip,
    "flop": ImageOps.mirror,
    "rotate": _rotate,
    # The radius follows from sigma.
    "blur": lambda picture, _=0, sigma=None: picture.filter(
        ImageFilter.GaussianBlur(1 if sigma is None else sigma)
    ),
    "sharpen": lambda picture, _=0, sigma=None: picture.filter(
        ImageFilter.UnsharpMask(1 if sigma is None else sigma, 100, 0)
    ),
    "addBorder": _border,
    "negate": _negate,
    "equalize": _opaque(ImageOps.equalize),
    "normalize": _opaque(ImageOps.autocontrast),
    "despeckle": lambda picture: picture.filter(ImageFilter.MedianFilter(3)),
    "enhance": lambda picture: picture.filter(ImageFilter.SMOOTH),
    "modulate": _modulate,
    "unsharpMask": _unsharp,
    "gammaCorrection": _gamma_correction,
    "type": _type,
    "colorspace": _colorspace,
}


@returning_failures(*FAILURES, words=words_of)
def change(picture: Picture, name: str, *arguments: Any) -> Picture | Failure:
    """The result of an operation; it keeps the format and the profiles."""
    source = picture
    if name not in ("clone", "flip", "flop", "crop") and picture.mode not in _PLAIN:
        wide = picture.convert("RGBA") if "transparency" in picture.info else _eight_bits(picture)
        grey = picture.mode in ("1", "I", "F")
        source = wide if wide.mode in _PLAIN else wide.convert("L" if grey else "RGB")
    result = _OPERATIONS[name](source, *arguments)
    result.format = picture.format
    result.info.update({key: value for key, value in picture.info.items() if key != "transparency"})
    return result
