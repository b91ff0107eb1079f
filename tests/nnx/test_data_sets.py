"""Data sets of folders of pictures, of LabelMe and of Pascal VOC, on pictures that the tests draw."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from t7shell import LuaError, Runtime
from tests.runtimes import array, runtime_fixture

lua = runtime_fixture("nnx = require 'nnx'", "require 'image'")


def save(path: Path, pixels: Any, mode: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = Image.fromarray(np.asarray(pixels, np.uint8))
    if mode == "P":
        # The palette of Pascal VOC as its development kit lists it, for the first indices and the border.
        colors = [(0, 0, 0), (128, 0, 0), (0, 128, 0), (128, 128, 0), (0, 0, 128)] + [(0, 0, 0)] * 250
        picture.putpalette([level for color in [*colors, (224, 224, 192)] for level in color])
    picture.save(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    for i, name in enumerate(("a|0.5|2.png", "b|1|-3.png", "c|4|0.png")):
        save(tmp_path / "3" / name, rng.integers(0, 256, (4 + i, 6, 3)))
    (tmp_path / "3" / "notes.txt").write_text("no picture")
    return tmp_path


def pixels(path: Path) -> Any:
    return np.asarray(Image.open(path), float).transpose(2, 0, 1) / 255


def test_a_folder_of_pictures(lua: Runtime, folder: Path) -> None:
    lua.execute(f"""
        d = nn.DataSet()
        d:append{{dataSetFolder = '{folder}/3', useLabelPiped = true}}
        plain = nn.DataSet('{folder}/3', 2)
        classes = nn.DataSet()
        classes:append{{dataSetFolder = '{folder}/3', useDirAsLabel = true, nbLabels = 4, channels = 1}}
        sized = nn.DataSet{{dataSetFolder = '{folder}/3', sampleSize = {{3, 3, 2}}}}
        framed = nn.DataSet{{dataSetFolder = '{folder}/3', sampleSize = {{3, 4, 6}}, padding = true}}
        text = tostring(d)
    """)
    assert lua.eval("d:size()") == 3 and lua.eval("plain:size()") == 2
    assert lua.eval("text") == "DataSet:\n + nb samples : 3"
    names = sorted(path.name for path in (folder / "3").glob("*.png"))
    for i, name in enumerate(names):
        np.testing.assert_allclose(array(lua, f"d[{i + 1}][1]"), pixels(folder / "3" / name))
        numbers = [float(part) for part in name.removesuffix(".png").split("|")[1:]]
        assert array(lua, f"d[{i + 1}][2]").tolist() == [[number] for number in numbers]
    assert array(lua, "classes[2][2]").tolist() == [-1, -1, 1, -1]
    assert array(lua, "classes[1][1]").shape == (1, 4, 6) and lua.eval("plain[1][2]:nElement()") == 0
    assert lua.eval("(sized[1][1] - image.scale(d[1][1], 3, 2)):abs():max()") == 0
    # A picture of 4 x 6 in a frame of 6 rows and 4 columns: a row of zeros above and below, columns cut.
    wanted = np.pad(pixels(folder / "3" / names[0])[:, :, 1:5], [(0, 0), (1, 1), (0, 0)])
    np.testing.assert_allclose(array(lua, "framed[1][1]"), wanted)


def test_what_is_done_with_samples(lua: Runtime, folder: Path) -> None:
    lua.execute("""
        d = nn.DataSet()
        for i = 1, 10 do d:add(torch.Tensor(1, 4, 6):fill(i), torch.Tensor{-i}) end
        d:add{input = torch.zeros(1, 4, 6), target = torch.zeros(1)}
        last = d:popSubset{nElement = 1}
        rest = d:popSubset()
        sizes = {d:size(), last:size(), rest:size()}
        gone = d[10] == nil
        torch.manualSeed(1)
        d:shuffle()
        values, matching = {}, true
        for i = 1, 9 do
           values[i] = d[i][1]:max()
           matching = matching and d[i][2][1] == -values[i]
        end
        order = torch.Tensor(values)
        rest:appendDataSet(d)
        rest[1][1]:fill(7)
        d:apply(function(x) return x * 2 end)
        doubled = d[1][1]:max() / values[1]
        copies = rest[2][1]:max() == values[1] and rest[2][1]:data() ~= d[1][1]:data()
        d:cropAndResize(2)
        square = d[1][1]:size()
        d:resize(5, 3)
        large = d[1][1]:size()
        again = torch.deserialize(torch.serialize(d))
        same = again:size() == 9 and again[3][1]:equal(d[3][1]) and torch.type(again)
        d:emptySet()
    """)
    assert (
        array(lua, "torch.Tensor(sizes)").tolist() == [9, 1, 1]
        and lua.eval("gone and matching and copies") is True
    )
    assert sorted(array(lua, "order")) == list(range(1, 10)) != list(array(lua, "order"))
    assert lua.eval("rest:size()") == 10 and lua.eval("doubled") == 2 and lua.eval("same") == "nn.DataSet"
    assert lua.eval("table.concat(square:totable(), ' ') .. '|' .. table.concat(large:totable(), ' ')") == (
        "1 2 2|1 3 5"
    )
    assert lua.eval("d:size()") == 0 and lua.eval("d[1] == nil") is True


def test_a_cache(lua: Runtime, folder: Path) -> None:
    lua.execute(f"""
        first = nn.DataSet{{dataSetFolder = '{folder}/3', cacheFile = '{folder}/kept.t7'}}
        os.remove('{folder}/3/a|0.5|2.png')
        second = nn.DataSet{{dataSetFolder = '{folder}/3', cacheFile = '{folder}/kept.t7'}}
        fresh = nn.DataSet('{folder}/3')
        same = second:size() == 3 and second[1][1]:equal(first[1][1])
    """)
    assert lua.eval("same") is True and lua.eval("fresh:size()") == 2


def test_classes_take_turns(lua: Runtime) -> None:
    lua.execute("""
        a, b, list = nn.DataSet(), nn.DataSet(), nn.DataList()
        for i = 1, 3 do a:add(torch.Tensor{i}, torch.Tensor()) end
        for i = 1, 2 do b:add(torch.Tensor{10 * i}, torch.Tensor()) end
        list:appendDataSet(a, 'small')
        list:appendDataSet(b, 'large')
        inputs, targets = torch.Tensor(6), torch.Tensor(6, 2)
        for i = 1, list:size() do
           inputs[i] = list[i][1][1]
           targets[i]:copy(list[i][2])
        end
        list.targetIsProbability, list.spatialTarget = true, true
        map = list[2][2]
        function list.hookOnSample(self, sample) return {sample[1] * 2, #self.ClassName} end
        hooked = list[3]
        past, text = list[7] == nil and list[0] == nil and list[1.5] == nil, tostring(list)
    """)
    assert array(lua, "inputs").tolist() == [1, 10, 2, 20, 3, 10]
    assert array(lua, "targets").tolist() == [[1, -1], [-1, 1]] * 3
    assert array(lua, "map").tolist() == [[[0]], [[1]]] and lua.eval("past") is True
    assert lua.eval("hooked[1][1]") == 4 and lua.eval("hooked[2]") == 2
    assert lua.eval("text") == "DataList:\n + nb samples : 6\n + nb classes : 2"


POLYGON = """
<annotation><object><name>tree</name><deleted>0</deleted><polygon><username>a</username>
<pt><x>2</x><y>1</y></pt><pt><x>6</x><y>1</y></pt><pt><x>6</x><y>4</y></pt><pt><x>2</x><y>4</y></pt>
</polygon></object>
<object><name>tree</name><deleted>1</deleted><polygon><pt><x>0</x><y>0</y></pt><pt><x>8</x><y>0</y></pt>
<pt><x>8</x><y>6</y></pt></polygon></object>
<object><name>unknown</name><polygon><pt><x>0</x><y>0</y></pt></polygon></object></annotation>
"""


@pytest.fixture
def labelme(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    first, second = rng.integers(0, 256, (6, 8, 3)), rng.integers(0, 256, (5, 5, 3))
    save(tmp_path / "Images" / "street" / "one.png", first)
    save(tmp_path / "Images" / "wood" / "two.png", second)
    mask = np.zeros((6, 8))
    mask[2:4, 1:3], mask[0, 7] = 128, 255
    save(tmp_path / "Masks" / "street" / "one.png", mask)
    (tmp_path / "Annotations" / "wood").mkdir(parents=True)
    (tmp_path / "Annotations" / "wood" / "two.xml").write_text(POLYGON)
    return tmp_path


def test_labelme(lua: Runtime, labelme: Path) -> None:
    lua.execute(f"""
        torch.manualSeed(1)
        d = nn.DataSetLabelMe{{path = '{labelme}', nbClasses = 3, classNames = {{'rest', 'tree', 'sky'}},
           patchSize = 3, nbPatchPerSample = 30, samplingMode = 'equal'}}
        d:loadSample(1)
        one = d.currentMask:clone()
        d:loadSample(2)
        two = d.currentMask:clone()
        counts = torch.Tensor{{d.tags[1].size, d.tags[2].size, d.tags[3].size}}
        targets = torch.Tensor(60, 3)
        inside = true
        for i = 1, d:size() do
           local x, y = d[i][1], d[i][2]
           inside = inside and x:size(2) == 3 and x:size(3) == 3
           targets[i]:copy(y)
        end
        d.labelType = 'pixelwise'
        fine = true
        for i = 1, d:size() do
           local x, mask = d[i][1], d[i][2]
           local class = (i - 1) % 3 + 1
           fine = fine and (d.tags[class].size == 0 or mask[2][2] == class)
        end
        width, height = d:getsizes()
        text, past = tostring(d), d[61] == nil
        d.infiniteSet = true
        more = d[1000] ~= nil
    """)
    mask = np.ones((6, 8))
    mask[2:4, 1:3], mask[0, 7] = 2, 3
    np.testing.assert_array_equal(array(lua, "one"), mask)
    # The polygon from (2, 1) to (6, 4) covers these pixels of 5 x 5.
    drawn = np.ones((5, 5))
    drawn[1:4, 2:5] = 2
    np.testing.assert_array_equal(array(lua, "two"), drawn)
    # Centers of patches are a pixel away from the edges; the sky is on one.
    inner = [np.concatenate([mask[1:-1, 1:-1].ravel(), drawn[1:-1, 1:-1].ravel()])]
    assert array(lua, "counts").tolist() == [(inner[0] == c).sum() for c in (1, 2, 3)]
    targets = array(lua, "targets")
    assert (targets.sum(1) == -1).all() and (targets[:, 2] == -1).all()
    assert (targets[0::3, 0] == 1).all() and (targets[1::3, 1] == 1).all()
    assert lua.eval("inside and fine and past and more") is True
    assert lua.eval("width") == 8 and lua.eval("height") == 6 and "rest | tree | sky" in lua.eval("text")


def test_labelme_in_other_ways(lua: Runtime, labelme: Path) -> None:
    """Random patches, pictures in memory, sizes, functions of the program, files."""
    lua.execute(f"""
        torch.manualSeed(3)
        local options = {{path = '{labelme}', nbClasses = 3, classNames = {{'rest', 'tree', 'sky'}},
           patchSize = 2, nbPatchPerSample = 5, classToSkip = 1, cacheFile = 'kept'}}
        d = nn.DataSetLabelMe(options)
        skipped = true
        for i = 1, 10 do skipped = skipped and d[i][2][1] == -1 end
        d:preload()
        d.currentIndex = -1
        d:loadSample(1)
        close = (d.currentSample - image.load('{labelme}/Images/street/one.png')):abs():max() < 1e-9
        masks = d.currentMask:clone()
        again = torch.deserialize(torch.serialize(d))
        torch.manualSeed(5) local a = d[1]
        torch.manualSeed(5) local b = again[1]
        same = a[1]:equal(b[1]) and a[2]:equal(b[2]) and torch.type(again) == 'nn.DataSetLabelMe'
        kept = nn.DataSetLabelMe(options)
        kept.rawdata[1].maskfile = 'gone'
        tags = kept.tags[2].size == d.tags[2].size
        small = nn.DataSetLabelMe{{path = '{labelme}', nbClasses = 3, patchSize = 2, rawSampleMaxSize = 4}}
        small:loadSample(1)
        sizes = table.concat(small.currentSample:size():totable(), ' ')
        exact = nn.DataSetLabelMe{{path = '{labelme}', nbClasses = 3, patchSize = 2, preloadSamples = true,
           rawSampleSize = {{w = 5, h = 7}}}}
        exact:loadSample(2)
        sizes = sizes .. '|' .. table.concat(exact.currentMask:size():totable(), ' ')
        generated = nn.DataSetLabelMe{{path = '{labelme}', nbClasses = 3, patchSize = 2,
           labelGenerator = function(set, full, x, full_mask, mask, class, cx, cy, left, top, size)
              return {{full:narrow(2, top, size):narrow(3, left, size):equal(x), full_mask[cy][cx] == class,
                 mask:size(1) == size and set.nbClasses == 3}}
           end}}
        made = generated[1][1] and generated[2][2] and generated[3][3]
    """)
    assert lua.eval("skipped and close and same and tags and made") is True
    assert lua.eval("sizes") == "3 3 4|7 5"
    assert (labelme / "kept-tags").exists() and (labelme / "kept-samples").exists()


BOXES = """
<annotation><size><width>7</width></size><object><name>bird</name><part><name>head</name><bndbox><xmin>1</xmin>
<ymin>1</ymin><xmax>7</xmax><ymax>7</ymax></bndbox></part><bndbox><xmin>3</xmin><ymin>2</ymin><xmax>5</xmax>
<ymax>4</ymax></bndbox></object></annotation>
"""


def test_pascal(lua: Runtime, tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        save(tmp_path / "JPEGImages" / f"{name}.png", np.full((7, 7, 3), 99))
    indices = np.zeros((7, 7))
    indices[1:3, 1:3], indices[4, 4], indices[3, 3] = 3, 4, 255
    save(tmp_path / "SegmentationClass" / "one.png", indices, "P")
    save(tmp_path / "SegmentationClass" / "two.png", indices)
    (tmp_path / "Annotations").mkdir()
    (tmp_path / "Annotations" / "three.xml").write_text(BOXES)
    lua.execute(f"""
        d = nn.DataSetSamplingPascal{{path = '{tmp_path}', patchSize = 3}}
        masks = {{}}
        for i = 1, 3 do
           d:loadSample(i)
           masks[d.rawdata[i].imgfile:match '(%w+)%.png$'] = d.currentMask:clone()
        end
        classes, center = d.nbClasses, d[1][1][2][2][2]
        name = d.classNames[4]
    """)
    wanted = np.where(indices == 255, 0, indices + 1)
    np.testing.assert_array_equal(array(lua, "masks.one"), wanted)
    np.testing.assert_array_equal(array(lua, "masks.two"), wanted)
    boxed = np.ones((7, 7))
    boxed[1:4, 2:5] = 4
    np.testing.assert_array_equal(array(lua, "masks.three"), boxed)
    assert lua.eval("classes") == 21 and lua.eval("name") == "bird"
    assert lua.eval("center") == pytest.approx(99 / 255)


def test_shown_pictures(lua: Runtime, labelme: Path) -> None:
    lua.execute(f"""
        local shown, display = {{}}, image.display
        image.display = function(o) shown[#shown + 1] = o end
        nn.DataSetLabelMe{{path = '{labelme}', nbClasses = 3, patchSize = 2}}:display{{samples = 1}}
        local d = nn.DataSet()
        d:add(torch.rand(3, 4, 4))
        d:add(torch.rand(3, 4, 4))
        d:display(1, 'first')
        image.display = display
        count, legend, size = #shown[1].image, shown[2].legend, #shown[2].image
        picture = shown[1].image[1]
    """)
    assert lua.eval("count") == 1 and lua.eval("legend") == "first" and lua.eval("size") == 1
    assert array(lua, "picture").shape == (3, 6, 8)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nn.DataSet('/no/such/folder')", "DataSet: .*no folder /no/such/folder"),
        ("nn.DataSet{dataSetFolder = PATH, channels = 9}", "channels must be a whole number from 1 to 4"),
        ("nn.DataSet():append{}", "argument dataSetFolder must be a string"),
        (
            "nn.DataSet():append{dataSetFolder = PATH .. '/Images/wood', useDirAsLabel = true}",
            r"name of the folder must be a class from 1 to 1 \(got wood\)",
        ),
        ("nn.DataSet():add(3)", "input must be a tensor"),
        ("nn.DataSet():popSubset{nElement = 1}", "nElement must be a whole number from 0 to 0"),
        ("nn.DataSet():display(1)", "nSamples must be"),
        ("nn.DataSet():apply(3)", "must be a function"),
        ("nn.DataSet():resize()", "w must be a number"),
        ("nn.DataSetLabelMe{}", "argument path must be a string"),
        ("nn.DataSetLabelMe{path = '/no/such'}", "DataSetLabelMe: no folder /no/such/Images"),
        (
            "nn.DataSetSamplingPascal{path = '/no/such'}",
            "DataSetSamplingPascal: no folder /no/such/JPEGImages",
        ),
        ("nn.DataSetLabelMe{path = PATH, patchSize = 64}", "has a patch of 64 x 64"),
        ("nn.DataSetLabelMe{path = PATH, samplingMode = 'each'}", "samplingMode must be one of"),
        ("nn.DataSetLabelMe{path = PATH, labelType = 'all'}", "labelType must be one of"),
        ("nn.DataSetLabelMe{path = PATH, patchSize = 2}:loadSample(3)", "index must be an index from 1 to 2"),
    ],
)
def test_wrong_calls(lua: Runtime, labelme: Path, source: str, message: str) -> None:
    lua.execute(f"PATH = '{labelme}'")
    with pytest.raises(LuaError, match=message):
        lua.execute(source)


def test_pictures_without_classes(lua: Runtime, labelme: Path) -> None:
    (labelme / "Annotations" / "wood" / "two.xml").unlink()
    with pytest.raises(LuaError, match=r"no classes for .*two.png: neither .*two.png nor .*two.xml is there"):
        lua.execute(f"nn.DataSetLabelMe{{path = '{labelme}', patchSize = 2}}")
    save(labelme / "Masks" / "wood" / "two.png", np.zeros((4, 4)))
    with pytest.raises(LuaError, match="of 5 x 5, as its picture"):
        lua.execute(f"nn.DataSetLabelMe{{path = '{labelme}', patchSize = 2}}")
