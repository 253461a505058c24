"""NumPy, without which a test is skipped."""
import sys

try:
    import numpy as np  # pylint: disable=unused-import
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)
