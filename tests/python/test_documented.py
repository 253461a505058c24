#!/usr/bin/env python3
"""The examples in docstrings do what they say; every public function has one sentence; the hints hold under mypy --strict."""
import doctest
import importlib
import os
import pkgutil
import subprocess
import sys
import tempfile
import unittest

import redhost

PACKAGE = os.path.dirname(redhost.__file__)


class Documented(unittest.TestCase):
    def test_examples(self):
        tried = 0
        for module in pkgutil.iter_modules([PACKAGE]):
            if module.name != "__main__":
                done = doctest.testmod(importlib.import_module(f"redhost.{module.name}"))
                self.assertEqual(done.failed, 0, module.name)
                tried += done.attempted
        self.assertGreater(tried, 15)

    def test_every_public_name_is_described(self):
        for name in redhost.__all__:
            self.assertTrue(getattr(redhost, name).__doc__, name)
        self.assertEqual(sorted(set(dir(redhost))), sorted(redhost.__all__))

    def test_numpy_is_not_imported(self):
        code = "import array, sys, redhost; redhost.sum(array.array('f', [1])); print('numpy' in sys.modules)"
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "False\n")

    @unittest.skipUnless(subprocess.run([sys.executable, "-c", "import mypy"], stderr=subprocess.DEVNULL).returncode == 0,
                         "no mypy")
    def test_hints(self):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, PACKAGE],
                                  stdout=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
