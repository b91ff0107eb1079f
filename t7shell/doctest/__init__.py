"""Documents whose examples are tests: finding them, running them, and comparing their output."""

from t7shell.doctest.load import Override
from t7shell.doctest.report import Report
from t7shell.doctest.run import run_document

__all__ = ["Override", "Report", "run_document"]
