"""The folders of the sources are layers: a module requires its own folder and those below it only."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# The folders of lua/torch from the lowest one to the highest; `init` installs them all.
LAYERS = [
    "jit",
    "native",
    "base",
    "loops",
    "language",
    "memory",
    "parallel",
    "tensor",
    "kernels",
    "random",
    "linalg",
    "io",
    "class",
    "testing",
    "utility",
    "ops",
    "dispatch",
    "features",
    "init",
]

# The folders of t7shell from the lowest one to the highest.
FOLDERS = [
    "native",
    "host",
    "engine",
    "manual",
    "t7file",
    "packages",
    "prompt",
    "bridge",
    "convert",
    "kernel",
    "doctest",
    "cli",
]

# A module as it is: not a field of it, and not the result of a call of it.
REQUIRED = re.compile(r"""require *\(?["']([\w.]+)["']\)?""")
# Penlight's modules have the names that its users know.
RENAMED = {"pl", "trepl"}

Graph = dict[str, set[str]]


@cache
def lua_modules() -> dict[str, str]:
    """The source of each Lua module, without its comments."""
    folder = ROOT / "lua"
    found = {}
    for path in folder.rglob("*.lua"):
        parts = path.relative_to(folder).with_suffix("").parts
        name = ".".join(parts[parts[0] == "packages" :]).removesuffix(".init")
        found[name] = re.sub(r"--[^\n]*", "", path.read_text(encoding="utf-8"))
    return found


@cache
def lua_graph() -> Graph:
    """The modules that each module names, be it in `require` or where it is loaded for a type."""
    modules = lua_modules()
    named = {name: set(re.findall(r"""["']([\w.]+)["']""", source)) for name, source in modules.items()}
    return {
        name: {other for other in others if other in modules and "." in other and other != name}
        for name, others in named.items()
    }


@cache
def python_graph() -> Graph:
    """The modules that each module of t7shell imports: when it is loaded, in a function or for types."""
    sources = {}
    for path in (ROOT / "t7shell").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        sources[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return {name: imported(tree, set(sources)) - {name} for name, tree in sources.items()}


def imported(tree: ast.Module, modules: set[str]) -> set[str]:
    """The modules, of these, that a source imports: of packages those whose own names it uses."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & modules
            if names - modules:
                found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found & modules


def test_all_imports_are_found() -> None:
    source = """
from a.b import c, d
if TYPE_CHECKING:
    from a.e import F
def f():
    import a.g
"""
    assert imported(ast.parse(source), {"a", "a.b", "a.b.c", "a.e", "a.g"}) == {"a.b", "a.b.c", "a.e", "a.g"}
    assert imported(ast.parse("from a import b"), {"a", "a.b"}) == {"a.b"}


def circle(graph: Graph) -> list[str]:
    """The modules that are left when those are taken away, again and again, that require none of the rest."""
    left = dict(graph)
    while True:
        ends = [name for name, others in left.items() if not others & set(left)]
        if not ends:
            break
        for name in ends:
            del left[name]
    # Modules that only require the circle are not part of it.
    while True:
        needed = set().union(*left.values()) if left else set()
        outer = [name for name in left if name not in needed]
        if not outer:
            return sorted(left)
        for name in outer:
            del left[name]


def folder_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "init"


def test_no_arrow_points_upwards() -> None:
    upwards = [
        f"{name} -> {other}"
        for name, others in lua_graph().items()
        for other in others
        if name.split(".")[0] == other.split(".")[0] == "torch"
        and LAYERS.index(folder_of(other)) > LAYERS.index(folder_of(name))
    ]
    assert upwards == []


def test_torch_requires_nothing_that_stands_on_it() -> None:
    graph = lua_graph()
    packages = {name.split(".")[0] for name in graph} - {"torch"}
    wrong = [
        f"{name} -> {other}"
        for name, others in graph.items()
        if name.split(".")[0] == "torch"
        for other in others
        if other.split(".")[0] in packages
    ]
    assert wrong == []


@pytest.mark.parametrize("graph", [lua_graph, python_graph])
def test_there_is_no_circle(graph) -> None:  # type: ignore[no-untyped-def]
    assert circle(graph()) == []


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c"]


def required_names(source: str) -> list[tuple[str, str]]:
    """The locals of a file that hold a module itself, with the modules: `local check = require 'x.check'`."""
    found = []
    statement = re.compile(r"local ([\w, ]+?)\s*=\s*((?:require[^,\n]+,\s*)*require[^,\n]+)(?=\n|$)")
    for match in statement.finditer(source):
        for name, value in zip(match[1].split(","), match[2].split(","), strict=False):
            module = REQUIRED.fullmatch(value.strip())
            if module:
                found.append((name.strip(), module[1]))
    return found


def test_a_local_has_the_name_of_the_module_it_holds() -> None:
    modules = lua_modules()
    wrong = [
        f"{file}: local {name} = require '{module}'"
        for file, source in modules.items()
        if file.split(".")[0] not in RENAMED
        for name, module in required_names(source)
        if module in modules and name != module.split(".")[-1]
    ]
    assert wrong == []


def test_required_names_are_found() -> None:
    source = "local a, b =\n   require 'x.a', require('x.b').part\nlocal c = require('x.c')\n"
    assert required_names(source) == [("a", "x.a"), ("c", "x.c")]


def test_no_two_files_of_a_package_share_a_name() -> None:
    names = [
        (name.split(".")[0], name.split(".")[-1])
        for name in lua_modules()
        if name.count(".") and name != "graph.graph"
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_import_points_upwards() -> None:
    def level(module: str) -> int:
        folder = module.split(".")[1]
        # Modules beside the folders stand on all of them.
        return FOLDERS.index(folder) if folder in FOLDERS else len(FOLDERS)

    upwards = [
        f"{name} -> {other}"
        for name, others in python_graph().items()
        for other in others
        # The version, and the exceptions that users see.
        if other != "t7shell" and level(other) > level(name + ".")
    ]
    assert upwards == []
    folders = {path.name for path in (ROOT / "t7shell").iterdir() if (path / "__init__.py").exists()}
    assert folders == set(FOLDERS)


# A read of a field of a type's row: `T.clone`, `Long.new_vector`, `T.tensor_methods.ne`. Locals for rows
# begin with a capital.
ROW_FIELD = re.compile(
    r"\b[A-Z][A-Za-z]*\.((?:tensor_methods|storage_methods|functions)\.\w+|[a-z]\w*)\b(?!\s*=[^=])"
)
# A local that holds such a table: `local methods = T.tensor_methods`.
TABLE_LOCAL = re.compile(
    r"local ([\w, ]+?) *= *([^\n]*\b[A-Z]\w*\.(?:tensor_methods|storage_methods|functions)\b[^\n]*)"
)
METHOD = re.compile(r"function \w*methods\.(\w+)|^\w*methods\.(\w+)(?:, \w*methods\.\w+)* =", re.MULTILINE)


def writers_of_fields(modules: dict[str, str]) -> dict[str, str]:
    """The folder of the part that writes each field of a type's row, as tensor/type_fields.lua lists them."""
    lists = re.findall(r"^   (\w+) = '([^']*)',$", modules["torch.tensor.type_fields"], re.MULTILINE)
    return {field: "tensor" for _, fields in lists for field in fields.split()}


def with_tables_for_locals(source: str) -> str:
    """A source in which locals that hold a table of a type's row are written as the table itself."""
    for match in reversed(list(TABLE_LOCAL.finditer(source))):
        for name, value in zip(match[1].split(","), match[2].split(","), strict=False):
            name, value = name.strip(), value.strip()
            if re.fullmatch(r"[A-Z]\w*\.\w+", value):
                # As far as the next local of this name.
                again = re.compile(rf"local [^=\n]*\b{name}\b").search(source, match.end())
                end = again.start() if again else len(source)
                reads = re.sub(rf"(?<![\w.]){name}(?=\.\w)", value, source[match.end() : end])
                source = source[: match.end()] + reads + source[end:]
    return source


def calls_through_rows(modules: dict[str, str]) -> list[tuple[str, str, str]]:
    """Modules of torch, the fields that they read of a type's row, and the folder that writes each field."""
    fields = writers_of_fields(modules)
    methods = {
        name
        for module, source in modules.items()
        if module.startswith("torch.tensor.")
        for names in METHOD.findall(source)
        for name in names
    }
    found = []
    for module, source in modules.items():
        if not module.startswith("torch."):
            continue
        for read in sorted(set(ROW_FIELD.findall(with_tables_for_locals(source)))):
            group, _, name = read.partition(".")
            if group == "functions":
                folder = "dispatch"
            elif name:
                # A method that no part of a tensor defines is an operation, which is installed by its row.
                folder = "tensor" if name in methods or name.startswith("__") else "dispatch"
            else:
                folder = fields.get(read, "")
            if folder:
                found.append((module, read, folder))
    return found


def test_no_call_through_a_row_points_upwards() -> None:
    upwards = {
        f"{module.removeprefix('torch.')} -> {read}"
        for module, read, folder in calls_through_rows(lua_modules())
        if LAYERS.index(folder) > LAYERS.index(folder_of(module))
    }
    assert upwards == set()


def test_calls_through_rows_are_found() -> None:
    modules = {
        "torch.tensor.type_fields": "   make = 'new_tensor alias',\n",
        "torch.tensor.view": "function methods.narrow(t) end",
        "torch.memory.x": "return T.alias(t), Long.tensor_methods.narrow(t), T.functions.add(t), T.size",
        "torch.kernels.y": "local ne = T.tensor_methods.ne",
        "torch.kernels.z": "local a, methods = 1, T.tensor_methods\nmethods.ne(t, a.methods.le)"
        "\nlocal methods = class.methods\nmethods.write(t)",
    }
    assert calls_through_rows(modules) == [
        ("torch.memory.x", "alias", "tensor"),
        ("torch.memory.x", "functions.add", "dispatch"),
        ("torch.memory.x", "tensor_methods.narrow", "tensor"),
        ("torch.kernels.y", "tensor_methods.ne", "dispatch"),
        ("torch.kernels.z", "tensor_methods.ne", "dispatch"),
    ]
