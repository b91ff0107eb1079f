"""Reads damaged files of all formats: python damaged.py <first> <last> <folder>

File number i depends on i alone. `folder` gets the file that is read, and `log` with its number and format.
Prints a line for each error that is no error of the reader, and how many files were read to their end.
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import h5py
import numpy as np
import scipy.io
from PIL import Image

import t7shell
from t7shell.engine.engine import Engine
from t7shell.packages.hdf5 import files as hdf5_files
from t7shell.packages.matio import files as matio_files
from t7shell.t7file import T7FileError

PAYLOADS = [0xFFFD800041414140, 0xFFFF8000FFFFFFFF, 0xFFFA000041414140, 0x7FFD800041414140]
PAYLOADS += [0xFFEC0000FFEC0000]
SIZES = [0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1]

PICTURE_ENDINGS = "png jpg jpeg ppm pgm gif bmp tiff webp eps ps pdf tga ico x".split()  # noqa: SIM905

SETUP = """
require 'nn'; require 'hdf5'; matio, npy4th, csvigo = require 'matio', require 'npy4th', require 'csvigo'
image, cjson, gm = require 'image', require 'cjson', require 'graphicsmagick'
-- Visits all of a value: forged elements are not numbers.
local function look(value, depth)
   if torch.isTensor(value) then
      if value:dim() > 0 then
         local flat = value:contiguous():view(-1)
         for i = 1, math.min(flat:size(1), 50) do
            assert(type(flat[i]) == 'number', 'forged ' .. type(flat[i]))
         end
         if flat:type() ~= 'torch.HalfTensor' then assert(type(flat:sum()) == 'number', 'forged sum') end
      end
   elseif type(value) == 'function' then
      -- Has bytecode of the file loaded, and calls nothing.
      pcall(debug.getinfo, value, 'S')
   elseif type(value) == 'table' and depth < 5 then
      local n = 0
      for key, inner in next, value do
         look(inner, depth + 1)
         n = n + 1
         if n > 50 then break end
      end
   end
   return tostring(value)
end
local function bytes(path) local f = io.open(path, 'rb') local text = f:read '*a' f:close() return text end
local readers = {
   t7 = function(path) return torch.load(path) end,
   t7_plain = function(path) return torch.load(path, { functions = false, unknown = 'keep' }) end,
   ascii = function(path) return torch.load(path, 'ascii') end,
   npy = function(path) return npy4th.loadnpy(path) end,
   npz = function(path) return npy4th.loadnpz(path) end,
   mat = function(path) return matio.load(path) end,
   h5 = function(path)
      local file = hdf5.open(path, 'r')
      local fine, value = pcall(file.all, file)
      file:close()
      if not fine then error(value, 0) end
      return value
   end,
   png = function(path) return image.load(path) end,
   jpg = function(path) return image.load(path) end,
   picture = function(path)
      image.getSize(path)
      local picture = gm.Image(path)
      local copy = gm.Image():fromString(bytes(path))
      return { image.load(path), picture:toTensor 'float', copy:toTensor('float', 'I') }
   end,
   json = function(path) return cjson.decode(bytes(path)) end,
   csv = function(path) return csvigo.load { path = path, verbose = false, mode = 'raw' } end,
   mapped = function(path) return torch.Tensor(torch.DoubleStorage(path, true)) end,
}
_G.the_file_ran = nil
function read_damaged(format, path)
   local fine, value = pcall(readers[format], path)
   if fine then fine, value = pcall(look, value, 0) end
   if _G.the_file_ran then return 'code of the file ran' end
   if fine then return 'read' end
   if type(value) ~= 'string' then return 'error ' .. type(value) end
   if value:find 'forged' or value:find 'stack traceback' then return value end
end
"""

WRITE = """
local folder = ...
local net = nn.Sequential():add(nn.SpatialConvolution(1, 2, 3, 3)):add(nn.ReLU()):add(nn.Linear(3, 2))
net.upgrade = function() _G.the_file_ran = true end
local object = { net = net, x = torch.rand(4, 5), f = torch.rand(7):float(), s = torch.LongStorage { 1, 2 },
   text = 'text', [2] = true, tds = require('tds').Hash { a = 1 }, half = torch.rand(3):half() }
torch.save(folder .. '/t7', object)
torch.save(folder .. '/ascii', object, 'ascii')
"""


def originals(folder: Path, engine: Engine) -> dict[str, bytes]:
    """A right file of each format, written by the libraries."""
    folder.mkdir(exist_ok=True)
    array = np.linspace(-1, 1, 24).reshape(4, 6)
    made = engine.execute(f"local function write(...) {WRITE} end write('{folder}')", "=write")
    assert made.ok, made.message
    np.save(folder / "npy.npy", array)
    np.savez_compressed(folder / "npz.npz", a=array, b=array.astype("float32"))
    # SciPy reads all cells that a damaged file claims to have: the reader gives up.
    matio_files._TIMEOUT = 2
    scipy.io.savemat(folder / "mat", {"a": array, "c": {"s": "text", "n": [1, 2]}}, appendmat=False,
                     do_compression=False)  # fmt: skip
    with h5py.File(folder / "h5", "w") as file:
        file["g/a"] = array
        file.create_dataset("z", data=array, chunks=(2, 3), compression="gzip")
        file["s"] = np.bytes_("text")
        # The library loops without end on some damaged strings of variable length: the reader gives up.
        file["v"] = ["some", "more text"]
        hdf5_files._TIMEOUT = 1
    pixels = Image.fromarray((np.arange(300).reshape(10, 10, 3) % 255).astype("uint8"))
    pixels.save(folder / "png", "PNG"), pixels.save(folder / "jpg", "JPEG")
    pictures(folder, pixels)
    (folder / "json").write_text('{"a": [1, 2.5e3, null, true, "\\u0041"], "b": {"c": []}}')
    (folder / "csv").write_text('a,b\n1,"x ""y"""\n2,z\n')
    (folder / "mapped").write_bytes(array.tobytes())
    names = {"npy": "npy.npy", "npz": "npz.npz", "t7_plain": "t7"}
    formats = "t7 t7_plain ascii npy npz mat h5 png jpg json csv mapped".split()  # noqa: SIM905
    found = {form: (folder / names.get(form, form)).read_bytes() for form in formats}
    return found | {path.name: path.read_bytes() for path in sorted(folder.glob("picture.*"))}


def pictures(folder: Path, pixels: Image.Image) -> None:
    """A picture of each format that Pillow writes, those that are not read among them, and PostScript."""
    Image.init()
    for form in sorted(set(Image.SAVE) - {"BUFR", "GRIB", "HDF5", "WMF"}):
        for mode in ("RGB", "P", "1", "L"):
            try:
                pixels.convert(mode).save(folder / f"picture.{form}", form)
                break
            except (OSError, ValueError, KeyError):
                (folder / f"picture.{form}").unlink(missing_ok=True)
    text = "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage\n%%EOF\n"
    (folder / "picture.PostScript").write_text(text)


def watch_programs(folder: Path) -> Path:
    """Puts programs in front of those that readers start; returns the file that they write."""
    mark, programs = folder / "started", folder / "programs"
    programs.mkdir(exist_ok=True)
    for name in ("gs", "gswin32c", "gswin64c", "convert", "magick", "dwebp", "ffmpeg", "xdg-open"):
        (programs / name).write_text(f"#!/bin/sh\necho {name} >> '{mark}'\n")
        (programs / name).chmod(0o755)
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"
    return mark


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The bytes with a few faults: flipped bits, lying sizes, NaNs with payloads, parts lost or doubled."""
    data = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 8])):
        at, kind = chance.randrange(max(len(data), 1)), chance.randrange(8)
        if kind <= 1 and data:
            data[at % len(data)] ^= 1 << chance.randrange(8)
        elif kind == 2 and data:
            data[at % len(data)] = chance.randrange(256)
        elif kind == 3:
            width = chance.choice([2, 4, 8])
            size = (chance.choice(SIZES) % 2 ** (8 * width)).to_bytes(width, chance.choice(["little", "big"]))
            data[at : at + width] = size
        elif kind == 4:
            at -= at % 8 if chance.random() < 0.5 else 0
            data[at : at + 8] = chance.choice(PAYLOADS).to_bytes(8, "little")
        elif kind == 5:
            del data[at : at + chance.choice([1, 4, 8, 100, len(data)])]
        elif kind == 6:
            data[at:at] = data[at : at + chance.choice([1, 8, 64])]
        else:
            text = chance.choice([b"-1", b"1e999", b"99999999999", b"nan(0xd8000)", b"\0", b"\n", b'"'])
            data[at : at + len(text)] = text
    return bytes(data)


def main(first: int, last: int, folder: Path) -> None:
    engine = Engine()
    assert engine.execute(SETUP, "=setup").ok
    files = originals(folder / "originals", engine)
    mark = watch_programs(folder)
    names, complete = list(files), 0
    with open(folder / "log", "w") as log:
        for number in range(first, last + 1):
            chance = random.Random(number)
            form = names[number % len(names)]
            # Pictures come under each other's names.
            ending = chance.choice(PICTURE_ENDINGS) if form.startswith("picture") else form
            path = folder / f"damaged.{ending}"
            log.seek(0), log.write(f"{number} {form}      \n"), log.flush()
            path.unlink(missing_ok=True)
            path.write_bytes(damaged(files[form], chance))
            before = path.read_bytes() if form == "mapped" else b""
            result = engine.execute(f"told = read_damaged('{form.partition('.')[0]}', '{path}')", "=fuzz")
            told = engine.lua.globals()["told"] if result.ok else result.message
            complete += told == "read"
            if told not in (None, "read"):
                print(number, form, str(told)[:300], flush=True)
            if form == "mapped" and path.read_bytes() != before:
                print(number, form, "the file has changed", flush=True)
            if form.startswith("t7") or form == "ascii":
                try:
                    t7shell.load(path)
                except (T7FileError, OSError):
                    pass
                except Exception as reason:
                    print(number, form, f"in Python: {reason!r}"[:300], flush=True)
    if mark.exists():
        print("started:", mark.read_text())
    print(last - first + 1, "files", complete, "read")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
