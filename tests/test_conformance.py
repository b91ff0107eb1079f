"""The claimed conformance cases print the output of the real Torch7; and how that is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance_cases import EVERY, Answer, Case, agrees, answers, claimed_cases, deviations, fault

DEVIATIONS = deviations()
CASES = claimed_cases()


def parameters() -> list[object]:
    marks = {id: [pytest.mark.xfail(reason=why, strict=True)] for id, why in DEVIATIONS.items()}
    return [pytest.param(case, id=case.id, marks=marks.get(case.id, [])) for case in CASES]


@pytest.mark.parametrize("case", parameters())
def test_case(case: Case) -> None:
    wrong = fault(case, answers(case.path)[case.id])
    assert wrong is None, f"{case.code}\n{wrong}"


@pytest.mark.skipif(EVERY > 1, reason="some cases are left out")
def test_deviations_name_cases() -> None:
    assert set(DEVIATIONS) <= {case.id for case in CASES}


def a_case(stdout: str = "", error: str | None = None, exact: bool = False) -> Case:
    return Case(Path("x.jsonl"), "x", "", stdout, error, exact=exact)


@pytest.mark.parametrize(
    ("wanted", "got", "same"),
    [
        ("1  2\n", " 1 2", True),
        ("0.33333 0x41ab", "0.33334 0x99", True),
        ("0.3333", "0.3343", False),
        ("1 2", "1 2 3", False),
        ("nan -inf", "nan -inf", True),
        ("nan", "inf", False),
        ("[torch.IntTensor of size 2x3]", "[torch.IntTensor of dimension 2x3]", True),
        ("[torch.IntTensor of size 2]", "[torch.LongTensor of size 2]", False),
    ],
)
def test_outputs_are_compared_by_number(wanted: str, got: str, same: bool) -> None:
    assert agrees(a_case(wanted), got) is same


def test_exact_cases_compare_bytes_but_for_footers() -> None:
    case = a_case(" 1\n[torch.IntTensor of size 1]\n", exact=True)
    assert agrees(case, " 1\n[torch.IntTensor of dimension 1]\n")
    assert not agrees(case, "1\n[torch.IntTensor of dimension 1]\n")


def test_a_wanted_error_must_be_deliberate() -> None:
    case = a_case(error="bad argument #1 to '?' (number expected)")
    assert fault(case, Answer("", "case:1: narrow: expected a number, got nil")) is None
    assert fault(case, Answer("", None)) is not None
    assert fault(case, Answer("", "attempt to call field 'narrow' (a nil value)")) is not None
    assert fault(case, Answer("", "the process ended here: status -11")) is not None
    assert fault(a_case("1"), Answer("1", "some error")) is not None
