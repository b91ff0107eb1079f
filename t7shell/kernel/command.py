"""`t7 kernel install`: makes t7 a kernel of Jupyter, under its own name and that of iTorch."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec

from t7shell.engine import command_line
from t7shell.host import encoding

# Notebooks of iTorch name the kernel itorch.
KERNELS = {"t7": "t7", "itorch": "iTorch (t7)"}


def main(arguments: Sequence[str]) -> int:
    """Runs `t7 kernel` with its arguments; returns the exit status."""
    parser = argparse.ArgumentParser("t7 kernel", description="The kernel of Jupyter notebooks.")
    actions = parser.add_subparsers(dest="action", required=True, metavar="install | uninstall")
    install = actions.add_parser("install", help="make t7 a kernel of Jupyter, also by the name itorch")
    where = install.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for this user (the default)")
    where.add_argument(
        "--sys-prefix", action="store_true", help="for the Python that runs t7, such as a venv"
    )
    where.add_argument("--prefix", help="below this folder")
    actions.add_parser("uninstall", help="remove the kernels")

    def work(options: argparse.Namespace) -> int:
        if find_spec("ipykernel") is None:
            raise ImportError("ipykernel is missing: python3 -m pip install ipykernel nbformat")
        if options.action == "install":
            return _install(sys.prefix if options.sys_prefix else options.prefix)
        return _uninstall()

    return command_line.run(parser, arguments, work)


def specification(title: str) -> dict[str, object]:
    """The file kernel.json of a kernel."""
    return {
        "argv": [sys.executable, "-m", "t7shell.kernel", "-f", "{connection_file}"],
        "display_name": title,
        "language": "lua",
        "interrupt_mode": "signal",
    }


def _install(prefix: str | None) -> int:
    from jupyter_client.kernelspec import KernelSpecManager

    for name, title in KERNELS.items():
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
                json.dump(specification(title), file, indent=1)
            manager = KernelSpecManager()
            installed = manager.install_kernel_spec(folder, name, user=prefix is None, prefix=prefix)
        encoding.write(f"installed {name} in {installed}\n", sys.stdout)
    return 0


def _uninstall() -> int:
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    for name in KERNELS:
        try:
            folder = KernelSpecManager().remove_kernel_spec(name)
        except NoSuchKernel:
            encoding.write(f"there is no kernel {name}\n", sys.stdout)
        else:
            encoding.write(f"removed {folder}\n", sys.stdout)
    return 0
