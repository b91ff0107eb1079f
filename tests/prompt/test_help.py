"""Help at the prompt and in the shell of the system: names, chapters, words, at any width."""

from __future__ import annotations

from pathlib import Path

import pytest

from t7shell.engine.engine import Engine
from t7shell.host import screen
from t7shell.manual import load
from t7shell.manual.render import plain, render
from t7shell.prompt import describe, help
from tests.conftest import Run
from tests.prompt_fixtures import typed


@pytest.fixture(scope="module")
def prompt() -> Engine:
    engine = Engine()
    engine.helper("shell.prompt").begin(lambda _: None)
    engine.execute("x = torch.ones(2) s = torch.LongStorage(2) f = torch.MemoryFile()", "=[1]")
    return engine


PUBLIC = """
   local names = require 'shell.names'
   local list = {}
   local function add(prefix, object)
      for key in pairs(names.fields(object)) do
         if type(names.field(object, key)) == 'function' and key:sub(1, 1) ~= '_' then
            list[#list + 1] = prefix .. key
         end
      end
   end
   for _, name in ipairs{'string', 'table', 'math', 'io', 'os', 'coroutine', 'package', 'debug', 'bit', 'jit',
      'paths', 'sys', 'xlua', 'torch'} do
      add(name .. '.', _G[name])
   end
   for key, value in pairs(_G) do
      if type(value) == 'function' and names.is_library(value) then list[#list + 1] = key end
   end
   add('x:', x) add('s:', s) add('f:', f)
   return table.concat(list, ' ')
"""
# Aliases, parts of the framework of classes, and names that only the files of old programs use.
UNDOCUMENTED = set(["io.isyieldable", "xprint", "xrequire", "xerror"])


def test_everything_public_has_a_sentence(prompt: Engine) -> None:
    names = str(prompt.execute(PUBLIC, "=t7 names").values[0]).split()
    assert len(names) > 400
    of_name = prompt.helper("shell.help").of_name
    missing = []
    for name in names:
        record = of_name(name.encode())
        entry = describe.manual_entry(record)
        if not (record["doc"] or (entry and entry.text)):
            missing.append(name)
    assert not set(missing) - UNDOCUMENTED, sorted(set(missing) - UNDOCUMENTED)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("string.format", ["string.format(form, ...)", "Formats values: ", "3.14|ab    |007", "t7 help lua"]),
        ("math.floor", ["math.floor(x)", "Rounds down to an integer", "t7> math.abs(-3), math.ceil(1.2)"]),
        ("paths.concat", ["paths.concat(part, ...)", "/runs/june/net.t7", "t7 help packages"]),
        ("torch.cmul", ["torch.cmul([res,] x, y)\nx:cmul(y)   in place", " 3\n", "Element types: all"]),
        ("x:narrow", ["x:narrow(dim, first, size)", "t7> "]),
        ("torch.narrow", ["There is no torch.narrow; this is the method", "x:narrow(dim, first, size)"]),
        ("for", ["for is a keyword of Lua"]),
        ("math.flor", ["did you mean 'math.floor'?"]),
        ("tensor", ["TENSORS\n=======", "Element types\n-------------"]),
        ("arithmetic", ["ARITHMETIC", "torch.add([res,] x, value)"]),
        ("dialect", ["dialect NAME", "The shell: Dialects  (t7 help shell)"]),
        ("checkpoint", ["The manual mentions 'checkpoint' in", "The prompt: Stopping  (t7 help prompt)"]),
        ("optim.sgd", ["optim.sgd(opfunc, x, config, state)", "learningRate 1e-3", "t7> x, fs = optim.sgd("]),
        ("nn.Linear", ["nn.Linear(inputSize, outputSize [, bias=true])", "W x + b", "t7> "]),
        ("image.display", ["image.display(x, options)", "side by side", "t7> "]),
        ("gnuplot.plot", ["gnuplot.plot(name, x, y, format)", "with a name in the legend"]),
        ("display.plot", ["display.plot(rows, options)", "t7> display.plot(history"]),
        ("cutorch.setDevice", ["cutorch.setDevice(number)"]),
        ("save a model", ["Functions:\n  torch.save(name, object", "The manual mentions 'save a model'"]),
        ("how to load a network", ["  torch.load(name"]),
        ("nosuchword", ["there is no 'nosuchword'"]),
    ],
)
def test_what_is_shown(prompt: Engine, name: str, shown: list[str]) -> None:
    text = help.text_for(name, prompt, 80)
    assert all(part in text for part in shown), text


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize("name", ["string.find", "torch.cmul", "prompt", "lua", "x:narrow", "paths"])
def test_words_stay_whole_at_any_width(prompt: Engine, name: str, columns: int) -> None:
    text = help.text_for(name, prompt, columns)
    wide = help.text_for(name, prompt, 1000)
    words = set(wide.split())
    code = {line for line in text.splitlines() if line.startswith("   ")}
    for line in text.splitlines():
        assert len(line) < columns or line in code or " " not in line.strip(), line
        assert set(line.split()) <= words


def test_markdown_becomes_text() -> None:
    assert plain("see [the `x`](a.md) and **all** of `a_b_c` \\[res\\]") == "see the x and all of a_b_c [res]"
    table = "| f | does |\n|---|---|\n| `f(x)` | some thing |\n"
    shown = render(f"# A\n\nOne two\nthree.\n\n{table}\n```\nx  y\n```\n", 30)
    assert shown == "A\n=\n\nOne two three.\n\nf     does\nf(x)  some thing\n\n    x  y"


def test_tables_fit_the_width() -> None:
    rows = [("a", "one two three four five six"), ("a very long name indeed", "seven")]
    assert screen.table(rows, 31).splitlines() == [
        "a              one two three",
        "               four five six",
        "a very long name indeed",
        "               seven",
    ]


def test_the_source_of_a_class_is_that_of_its_constructor() -> None:
    source = "function A:__init(x)\n   self.x = x\nend\n"
    shown = typed(f"A = torch.class('A');\n{source}B = torch.class('B', 'A');\n??A\n??B\n??torch\n").stdout
    assert shown == f"-- input [2], line 1\n{source}" * 2 + "'torch' is not a Lua function\n"


def test_methods_of_networks_are_shown_as_they_were_written() -> None:
    shown = typed("require 'nn';\n?nn.Linear.updateOutput\n??nn.Linear.updateOutput\n").stdout
    assert shown.startswith("nn.Linear.updateOutput(self, input)\n")
    assert "Defined in: the library, nn/simple/Linear.lua" in shown
    assert "function Linear:updateOutput(input)" in shown


def test_the_help_function(prompt: Engine) -> None:
    done = typed("help()\nhelp(torch.cmul)\nhelp 'paths'\nhelp\nhelp(nil)\n")
    assert done.stdout.count("Chapters of the manual:") == 3
    assert "torch.cmul([res,] x, y)" in done.stdout and "paths.concat" not in done.stderr
    assert "Names of files, folders, and what is in them." in done.stdout


def test_the_help_function_takes_what_follows_a_question_mark() -> None:
    requests = ["nn.Linear", "tensor", "string.format", "math.flor", "save a model", "x", "torch.cmul"]
    by_mark, by_call = (
        typed("".join(f"{form.format(one)}\n" for one in requests)).stdout
        for form in ("?{}", "help '{}'")
    )
    assert by_mark == by_call and "\nthere is no 'x'\n" in by_mark


def test_commands_have_help() -> None:
    assert typed("?%time\n%who?\n?%nosuch\n").stdout == (
        "%time CODE\n\nHow long one run of CODE takes.\n%who\n\nYour variables.\n"
        "unknown command '%nosuch'; %magic lists them\n"
    )


def test_help_in_the_shell_of_the_system(t7: Run) -> None:
    assert "  tensor" in t7("help").stdout
    assert t7("help", "tensor").stdout.startswith("TENSORS\n")
    assert t7("help", "string.rep").stdout.startswith("string.rep(s, n")
    done = t7("help", "nosuchword")
    assert (done.returncode, done.stderr) == (1, "t7 help: there is no 'nosuchword'\n")
    assert "usage: t7 help" in t7("help", "--help").stdout


def test_chapters_are_those_of_the_folder() -> None:
    folder = Path(__file__).resolve().parents[2] / "docs"
    names = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")}
    wanted = {name for name in names if not name.startswith(("decisions/", "internals", "site/"))}
    assert {chapter.name for chapter in load().chapters} == wanted


def test_words_that_only_begin_other_words() -> None:
    assert "data" in {chapter.name for chapter, _ in load().search("read csvi")}
    assert not load().search("sv")


def test_words_that_are_nowhere(engine: Engine) -> None:
    assert help.text_for("quokka wombat", engine, 80) == "the manual does not mention 'quokka wombat'"


def test_a_folder_of_chapters_has_its_name(prompt: Engine) -> None:
    assert help.text_for("nn", prompt, 80).startswith("NEURAL NETWORKS\n")
    assert "\n  nn  " in help.chapters_text(80) and "\n  index  " not in help.chapters_text(80)


def test_each_listed_chapter_is_found_by_its_listed_name(engine: Engine) -> None:
    listed = [line.split(None, 1) for line in help.chapters_text(200).splitlines()[1:]]
    shown = {name: help.text_for(name, engine, 200) for name, _ in listed}
    assert len(shown) == len(listed) > 60
    for name, title in listed:
        assert shown[name].startswith(title.upper()) or f"chapter of this name: t7 help {name}" in shown[name]
    assert shown["reference/compare"] != shown["compare"]
    assert help.text_for("torch.lt", engine, 200).endswith("(manual: t7 help reference/compare)")


def test_a_name_that_is_a_chapter_too(prompt: Engine) -> None:
    assert help.text_for("image", prompt, 80)
    prompt.execute("storage = 5", "=[2]")
    assert "The manual has a chapter of this name: t7 help storage" in help.text_for("storage", prompt, 80)


def test_chapters_of_a_package_leave_its_name_out() -> None:
    (entry, *_) = load().entries("optim.sgd")
    assert entry.name == "sgd"
    assert not load().entries("image.sgd")


def test_classes_of_a_package_that_is_loaded() -> None:
    engine = Engine()
    engine.execute("require 'nn'")
    for name, usage, words in (
        ("nn.Linear", "nn.Linear(inputSize, outputSize [, bias=true])", "W x + b"),
        ("nn.Tanh", "nn.Tanh()", "y = tanh(x)"),
    ):
        shown = help.text_for(name, engine, 80)
        assert shown.startswith(usage) and words in shown
        assert f"{name} is a class" in shown and "Methods:" in shown and "manual: t7 help" in shown.lower()


def test_methods_of_a_variable_that_is_not_there() -> None:
    shown = help.text_for("y:add", Engine(), 80)
    assert "x:add(value)   in place" in shown and "Adds a number" in shown


@pytest.mark.parametrize("name", ["torch.max", "paths.concat", "image.crop", "image.jetColormap"])
def test_examples_set_what_they_use(name: str) -> None:
    """An example runs by itself, with its package."""
    engine = Engine()
    package = name.partition(".")[0]
    engine.execute(f"require '{package}'")
    inputs = [
        line.strip().removeprefix("t7> ")
        for line in help.text_for(name, Engine(), None).splitlines()
        if line.strip().startswith("t7> ")
    ]
    assert inputs
    for line in inputs:
        assert engine.execute(line, "=[1]", "prompt").ok, line


def test_a_name_of_two_forms_is_explained_once() -> None:
    assert help.text_for("image.scale", Engine(), 80).count("manual: t7 help image") == 1


DOCUMENTED = "audio cephes dataset ffmpeg gm inn iterm md5 mime mnist optim optnet randomkit signal unsup"


@pytest.mark.parametrize("package", DOCUMENTED.split())
def test_functions_of_packages_have_arguments_and_examples(package: str) -> None:
    engine = Engine()
    assert engine.execute(f"{package} = require '{package}'").ok
    listed = (
        f"local l = {{}} for k, v in pairs({package}) do if type(v) ~= 'number' then l[#l + 1] = k end end "
        "return table.concat(l, ' ')"
    )
    names = str(engine.execute(listed).values[0]).split()
    # A base, and tables of functions.
    without = {"UnsupModule", "utils", "complex", "wavelet", "ffi", "_VERSION"}
    for name in set(names) - without:
        usage, *rest = help.text_for(f"{package}.{name}", engine, 200).split("\n\n")
        assert set("({") & set(usage) and not usage.endswith("(...)"), usage
        assert rest and not rest[0].startswith("Defined in"), usage
        assert any(part.startswith("   ") for part in rest), usage


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("nn.VRClassReward", ["nn.VRClassReward(module [, scale=1, criterion])", "  what is trained"]),
        ("nn.SeqLSTM.forward", ["nn.SeqLSTM:forward(input)"]),
        ("camera", ["Pictures of a camera", "Fields:\n  Camera", "ffmpeg, camera, libvideo_decoder\n-----"]),
        ("lua-utf8", ["The functions of strings for characters", "lua-utf8\n--------", "t7> utf8 = require"]),
        ("gfx.js", ["Pictures and charts", "gfx.chart(data"]),
        ("mnist.traindataset", ["mnist.traindataset([folder])", "   train, test = mnist.traindataset()"]),
    ],
)
def test_names_of_packages_that_are_not_loaded(name: str, shown: list[str]) -> None:
    engine = Engine()
    text = help.text_for(name, engine, 100)
    assert all(part in text for part in shown), text
    # A question changes nothing.
    loaded = engine.execute("return package.loaded.dpnn or package.loaded.camera or camera").values
    assert loaded == [None]


def test_commands_and_comparisons_from_the_shell(t7: Run) -> None:
    assert t7("help", "%debug").stdout.startswith("%debug\n\n")
    done = t7("help", "%debgu")
    assert (done.returncode, done.stdout) == (1, "") and "unknown command '%debgu'" in done.stderr
    assert t7("help", "compare").stdout.startswith("HOW IT COMPARES\n")
