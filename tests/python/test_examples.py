#!/usr/bin/env python3
"""The examples: partials by processes of concurrent.futures, and by Dask, whose workers are killed meanwhile."""
import os
import subprocess
import sys
import unittest

EXAMPLES = sys.argv[1]


def can(module):
    return subprocess.run([sys.executable, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode == 0


class Examples(unittest.TestCase):
    def ends_with_the_same_bits(self, name, *arguments):
        done = subprocess.run([sys.executable, "-W", "ignore", os.path.join(EXAMPLES, name), *arguments], text=True, timeout=300,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.endswith(": the same bits\n"), done.stdout)

    def test_processes(self):
        self.ends_with_the_same_bits("pool.py")

    @unittest.skipUnless(can("distributed"), "no Dask")
    def test_dask_with_killed_workers(self):
        self.ends_with_the_same_bits("on_dask.py", "--kill")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
