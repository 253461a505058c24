#!/usr/bin/env python3
"""The examples on the page "From Python" print what the page shows."""
import doctest
import os
import sys

import with_numpy  # pylint: disable=unused-import

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failed, tried = doctest.testfile(os.path.join(ROOT, "docs", "program", "python.md"), module_relative=False)
assert tried > 25, tried
sys.exit(failed > 0)
