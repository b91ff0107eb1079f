"""The build hook: a wheel holds the kernels for one system, compiled by build.py."""

from __future__ import annotations

import importlib.util
import sys
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def _build_module(root: str) -> ModuleType:
    """build.py by its path: the package's dependencies are not there while it is built."""
    path = Path(root, "t7shell", "native", "build.py")
    spec = importlib.util.spec_from_file_location("t7_native_build", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look up their module.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class CustomBuildHook(BuildHookInterface[Any]):
    """Compiles in the source tree, where a checkout finds the libraries, too."""

    def dependencies(self) -> list[str]:
        """Asked before the environment of the build is made: zig's compiler only where there is no other."""
        return [] if _build_module(self.root).system_compiler() else ["ziglang>=0.15"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        build = _build_module(self.root)
        for path in build.build(build.levels_to_install()):
            build_data["force_include"][str(path)] = f"t7shell/native/{path.name}"
        build_data["pure_python"] = False
        # Zig links against an old glibc; a system's compiler against its own, which PyPI does not accept.
        platform = build.TARGETS[build.target_name()].tag
        if build.system_compiler():
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"
