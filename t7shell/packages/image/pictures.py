"""Computed test pictures: a colour scene of 512 x 512 pixels and a grey one of 257 x 271.

Only sums, products, quotients and square roots are used, whose results are the same on every machine.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from t7shell.host.memory import Array, vector

# Balls in the colour scene: middle, radius, colour.
_BALLS = (
    (170.0, 300.0, 105.0, (0.86, 0.30, 0.22)),
    (355.0, 335.0, 80.0, (0.20, 0.52, 0.78)),
    (280.0, 170.0, 48.0, (0.93, 0.78, 0.30)),
)
_LIGHT = (-0.48, -0.64, 0.60)


def _noise(height: int, width: int, cell: int) -> Array:
    """Smooth noise from 0 to 1 whose grains are as large as a cell."""
    rows, columns = height // cell + 2, width // cell + 2
    number = np.arange(rows * columns, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    number ^= number >> np.uint64(29)
    number *= np.uint64(0xBF58476D1CE4E5B9)
    lattice = ((number >> np.uint64(40)).astype(float) / 2**24).reshape(rows, columns)
    y, x = np.arange(height) / cell, np.arange(width) / cell
    j, i = y.astype(int), x.astype(int)
    v, u = _smooth(y - j)[:, None], _smooth(x - i)[None, :]
    top = lattice[j][:, i] * (1 - u) + lattice[j][:, i + 1] * u
    below = lattice[j + 1][:, i] * (1 - u) + lattice[j + 1][:, i + 1] * u
    return np.asarray(top * (1 - v) + below * v)


def _smooth(t: Array) -> Array:
    return np.asarray(t * t * (3 - 2 * t))


def _ball(y: Array, x: Array, across: float, down: float, radius: float) -> tuple[Array, Array]:
    """Where a ball is, from 0 to 1, and how bright its points are."""
    dx, dy = (x - across) / radius, (y - down) / radius
    square = dx * dx + dy * dy
    front = np.sqrt(np.maximum(0, 1 - square))
    light = np.maximum(0, dx * _LIGHT[0] + dy * _LIGHT[1] + front * _LIGHT[2])
    shine = light * light
    for _ in range(4):
        shine = shine * shine
    cover = np.clip((1 - np.sqrt(square)) * radius + 0.5, 0, 1)
    return cover, 0.18 + 0.78 * light + 0.55 * shine


@cache
def _colour_scene() -> Array:
    size = 512
    y, x = np.arange(size, dtype=float)[:, None], np.arange(size, dtype=float)[None, :]
    clouds = 0.6 * _noise(size, size, 96) + 0.28 * _noise(size, size, 32) + 0.12 * _noise(size, size, 11)
    down = y / size
    sky = np.clip((clouds - 0.42) * 3, 0, 1) * np.clip(1.25 - 2 * down, 0, 1)
    planes = [
        0.35 + 0.40 * down + sky * (0.95 - 0.35 - 0.40 * down),
        0.55 + 0.25 * down + sky * (0.94 - 0.55 - 0.25 * down),
        0.85 + 0.02 * down + sky * (0.93 - 0.85 - 0.02 * down),
    ]
    # A floor of tiles that grow towards the viewer.
    horizon = 260.0
    depth = 9000 / np.maximum(y - horizon, 1)
    tile = (np.floor(depth / 22) + np.floor((x - 256) * depth / 3600 + 100)) % 2
    floor = np.clip((y - horizon) / 3, 0, 1)
    grain = 0.9 + 0.2 * _noise(size, size, 3)
    fade = np.clip(depth / 260, 0, 1)
    for plane, (bright, dark) in enumerate(((0.88, 0.30), (0.80, 0.24), (0.68, 0.22))):
        shade = (tile * bright + (1 - tile) * dark) * grain
        shade = shade * (1 - fade) + fade * (bright + dark) / 2
        planes[plane] = planes[plane] * (1 - floor) + shade * floor
    for across, down_to, radius, colour in _BALLS:
        below = _ball(y * 3.2, x, across + radius * 0.5, (down_to + radius * 0.92) * 3.2, radius)[0]
        cover, light = _ball(y, x, across, down_to, radius)
        for plane in range(3):
            lit = np.clip(colour[plane] * light + np.maximum(0, light - 0.96), 0, 1)
            shaded = planes[plane] * (1 - 0.55 * below * (1 if down_to > horizon else 0))
            planes[plane] = shaded * (1 - cover) + lit * cover
    scene = np.stack([np.broadcast_to(plane, (size, size)) for plane in planes])
    return np.asarray((np.clip(scene, 0, 1) * 255 + 0.5).astype(np.uint8))


@cache
def _grey_scene() -> Array:
    height, width = 257, 271
    y, x = np.arange(height, dtype=float)[:, None], np.arange(width, dtype=float)[None, :]
    scene = 0.25 + 0.35 * y / height + 0.25 * _noise(height, width, 40) + 0.08 * _noise(height, width, 5)
    for across, down, radius in ((135.0, 120.0, 78.0), (105.0, 100.0, 11.0), (165.0, 100.0, 11.0)):
        cover, light = _ball(y, x, across, down, radius)
        shade = light * (0.75 if radius > 20 else 0.2)
        scene = scene * (1 - cover) + np.clip(shade, 0, 1) * cover
    return np.asarray((np.clip(scene, 0, 1) * 255 + 0.5).astype(np.uint8))


_SCENES = {"lena": _colour_scene, "fabio": _grey_scene}


def test_picture(name: str, address: float) -> None:
    """Writes the planes of a scene to memory, as bytes."""
    scene = _SCENES[name]()
    vector(int(address), "uint8", scene.size, 1)[:] = scene.ravel()
