"""The suite that kernels of other languages use as well."""

from __future__ import annotations

from pathlib import Path

import pytest

jupyter_kernel_test = pytest.importorskip("jupyter_kernel_test", reason="needs jupyter_kernel_test")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def installed(kernels: Path) -> None:
    assert {path.name for path in kernels.iterdir()} == {"t7", "itorch"}


class TestT7Kernel(jupyter_kernel_test.KernelTests):  # type: ignore[misc,name-defined]
    """Jupyter's own expectations of a kernel."""

    kernel_name = "itorch"
    language_name = "lua"
    file_extension = ".lua"
    code_hello_world = "print('hello, world')"
    code_stderr = "io.stderr:write('trouble\\n')"
    completion_samples = [  # noqa: RUF012
        {"text": "torch.ran", "matches": {"rand", "randn", "random", "randperm", "range"}},
        {"text": "%ti", "matches": {"%time", "%timeit"}},
    ]
    complete_code_samples = ["x = 1", "1 + 1", "%who", "for i = 1, 2 do print(i) end"]  # noqa: RUF012
    incomplete_code_samples = ["for i = 1, 2 do", "x = {1,"]  # noqa: RUF012
    invalid_code_samples = ["x = = 1", "end"]  # noqa: RUF012
    code_inspect_sample = "torch.add"
    code_page_something = ""
    code_generate_error = "error('no')"
    code_execute_result = [  # noqa: RUF012
        {"code": "1 + 2", "result": "3"},
        {"code": "torch.ones(2, 2):sum()", "result": "4"},
        {"code": "'a' .. 'b'", "result": "ab"},
    ]
    code_display_data = [  # noqa: RUF012
        {"code": "require 'image'; image.display(torch.rand(4, 4))", "mime": "image/png"},
        {"code": "itorch.html('<b>bold</b>')", "mime": "text/html"},
    ]
    code_history_pattern = "1?+?2"
    supported_history_operations = ("tail", "range", "search")
    code_clear_output = ""

    def test_it_offers_neither_a_debugger_nor_subshells(self) -> None:
        self.flush_channels()
        reply = self.kc.kernel_info(reply=True, timeout=10)
        assert reply["content"]["supported_features"] == []
