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

    def test_the_reply_has_the_values_of_expressions(self) -> None:
        self.flush_channels()
        expressions = {"sum": "1 + 2", "wrong": "error('no')"}
        self.kc.execute("x = 1", user_expressions=expressions)
        reply = self.kc.get_shell_msg(timeout=10)["content"]["user_expressions"]
        assert reply["sum"] == {"status": "ok", "data": {"text/plain": "3"}, "metadata": {}}
        assert reply["wrong"]["status"] == "error" and reply["wrong"]["ename"] == "LuaError"
        assert reply["wrong"]["evalue"].endswith(": no") and reply["wrong"]["traceback"]
        self.kc.execute("error('no')", user_expressions=expressions)
        reply = self.kc.get_shell_msg(timeout=10)["content"]
        assert reply["status"] == "error" and "user_expressions" not in reply

    def history(self, **request: object) -> list[str]:
        self.flush_channels()
        self.kc.history(raw=True, output=False, **request)
        found = self.kc.get_shell_msg(timeout=10)["content"]["history"]
        return [source for _, _, source in found]

    def test_the_history_has_the_last_of_each_input_and_none_that_is_silent(self) -> None:
        for code in ("y = 1", "y = 2", "y = 1"):
            self.flush_channels()
            self.execute_helper(code=code)
        self.kc.execute("y = 3", silent=True)
        self.kc.get_shell_msg(timeout=10)
        assert self.history(hist_access_type="search", pattern="y*", n=9) == ["y = 1", "y = 2", "y = 1"]
        found = self.history(hist_access_type="search", pattern="y*", n=9, unique=True)
        assert found == ["y = 2", "y = 1"]
        assert self.history(hist_access_type="tail", n=2) == ["y = 2", "y = 1"]
        assert self.history(hist_access_type="range", session=-1, start=0, stop=99) == []
