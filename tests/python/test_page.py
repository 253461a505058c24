#!/usr/bin/env python3
"""The examples on the page "From Python" print what the page shows."""
import doctest
import os
import sys

try:
    import numpy  # pylint: disable=unused-import
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failed, tried = doctest.testfile(os.path.join(ROOT, "docs", "program", "python.md"), module_relative=False)
assert tried > 25, tried
sys.exit(failed > 0)
