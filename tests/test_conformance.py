"""The claimed conformance cases print the output of the real Torch7; and how that is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance_cases import (
    EVERY,
    Answer,
    Case,
    agrees,
    claimed_cases,
    deviations,
    fault,
    run_sequential,
)  # fmt: skip

DEVIATIONS = deviations()
CASES = claimed_cases()


@pytest.mark.parametrize("path", dict.fromkeys(case.path for case in CASES), ids=lambda path: path.stem)
def test_cases_of_a_file(path: Path) -> None:
    """All but the deviations, which differ: a test for each of thousands of cases would take longer."""
    cases = [case for case in CASES if case.path == path]
    given = run_sequential(cases)
    faults = {case.id: (case.code, wrong) for case in cases if (wrong := fault(case, given[case.id]))}
    wrong = [f"{id}:\n{code}\n{why}" for id, (code, why) in faults.items() if id not in DEVIATIONS]
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n\n".join(wrong)
    same = [case.id for case in cases if case.id in DEVIATIONS and case.id not in faults]
    assert not same, f"agree now, although deviations.toml says that they do not: {same}"


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
