"""Functions and classes that are loaded when first used behave as if they had always been there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from t7shell.engine.engine import Engine

Run = Callable[[str], str]

USES = {
    "torch": ["torch.save", "torch.test", "torch.multinomialAlias", "torch.CmdLine.new"],
    "xlua": ["xlua.usage", "xlua.unpack", "xlua.Profiler"],
}


@pytest.mark.parametrize("package", USES)
def test_loading_defines_just_the_names_that_were_there(fresh_lua: Run, package: str) -> None:
    listing = f"local list = {{}} for k in pairs({package}) do list[#list + 1] = k end table.sort(list) "
    listing += "print(table.concat(list, ' ')) "
    before = fresh_lua(listing)
    loads = " ".join(f"assert(deferred.real({name}) ~= nil)" for name in USES[package])
    assert fresh_lua(f"local deferred = require 'torch.class.lazy' {loads} {listing}") == before
    stubs = f"""local deferred = require 'torch.class.lazy'
        for name, f in pairs({package}) do if deferred.real(f) ~= f then print(name) end end"""
    assert fresh_lua(stubs) == ""


def test_a_function_that_was_kept_works_before_and_after_loading(fresh_lua: Run) -> None:
    assert fresh_lua("""
        local serialize, deserialize = torch.serialize, torch.deserialize
        print(deserialize(serialize { 5 })[1], torch.deserialize(serialize { 6 })[1])
        print(serialize ~= torch.serialize)
    """) == "5\t6\ntrue\n"


def test_what_a_program_puts_in_the_place_of_a_function_stays(fresh_lua: Run) -> None:
    assert fresh_lua("""
        function torch.save() return 'mine' end
        torch.saveobj = nil
        torch.serialize { 1 }
        print(torch.save(), torch.saveobj, torch.load ~= nil)""") == "mine\tnil\ttrue\n"


def test_errors_are_those_of_the_function_itself(fresh_lua: Run) -> None:
    call = "print(pcall(function() torch.deserialize(3) end))"
    first = fresh_lua(call)
    assert "deserialize" in first and fresh_lua(call) == first


def test_classes_show_their_methods_before_anything_was_made(fresh_lua: Run) -> None:
    assert fresh_lua("""
        for _, look in ipairs { function() return getmetatable(torch.Tester).eq end,
                                function() return torch.getmetatable('torch.File').seek end,
                                function() return torch.CmdLine.option end } do print(type(look())) end
    """) == "function\nfunction\nfunction\n"


def test_a_class_may_inherit_from_one_and_change_it(fresh_lua: Run) -> None:
    assert fresh_lua("""
        local methods, parent = torch.class('Mine', 'torch.CmdLine')
        function methods:greet() return self.arguments ~= nil, self.option == parent.option end
        local object = Mine()
        print(object:greet())
        function torch.Tester.eq() return 'changed' end
        print(torch.Tester():eq(), torch.Tester():ne(1, 2))""") == "true\ttrue\nchanged\ttrue\n"


def test_the_prompt_tells_of_them_as_of_others() -> None:
    engine = Engine()
    assert "path" in engine.helper("shell.help").of_name("torch.save")["usage"][1]
    _, found = engine.helper("shell.complete")("torch.DiskFile.noB")
    assert found[1][1] == "noBuffer"


def test_loading_that_failed_is_tried_again(fresh_lua: Run) -> None:
    program = """
    local loader = package.loaders[2]
    package.loaders[2] = function(name)
       if name == 'torch.io.serialize' then error('not enough memory') end
       return loader(name)
    end
    local fine = pcall(torch.serialize, {1})
    package.loaders[2] = loader
    print(fine, torch.deserialize(torch.serialize({7}))[1])
    """
    assert fresh_lua(program) == "false\t7\n"


def test_classes_after_their_files_could_not_be_opened() -> None:
    source = """
    local files = {}
    repeat files[#files + 1] = io.open('/dev/null') until #files > 100 or not io.open('/dev/null')
    print(pcall(torch.DiskFile, '/dev/null'))
    print(pcall(require, 'image'))
    for _, file in ipairs(files) do file:close() end
    collectgarbage()
    print(torch.DiskFile('/dev/null'))
    print(pcall(require, 'image'))
    """
    command = ["sh", "-c", 'ulimit -n 20 && exec "$@"', "-", sys.executable, "-m", "t7shell", "-e", source]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0] == "false\trequire: cannot open the file of 'torch.io.file': Too many open files"
    assert lines[1] == "false\trequire: cannot open the file of 'image': Too many open files"
    assert lines[2] == "torch.DiskFile on </dev/null> [status: open -- mode r ]"
    assert lines[3].startswith("true\t")
