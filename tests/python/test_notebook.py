#!/usr/bin/env python3
"""The notebooks: each cell is run, and prints what stands in the file."""
import copy
import glob
import os
import sys
import tempfile
import unittest

try:
    import ipykernel
    import nbclient
    import nbformat
except ImportError as missing:
    print(f"no {missing.name}")
    sys.exit(77)

EXAMPLES = sys.argv[1]


def shown(cell):
    """What a cell prints, which may come in several pieces, and the text of its value."""
    return "".join(output.get("text") or output["data"]["text/plain"] for output in cell.get("outputs", ()))


class Notebooks(unittest.TestCase):
    def test_each_says_what_it_prints(self):
        paths = glob.glob(os.path.join(EXAMPLES, "*.ipynb"))
        self.assertGreater(len(paths), 0)
        for path in paths:
            stored = nbformat.read(path, as_version=4)
            run = copy.deepcopy(stored)
            with tempfile.TemporaryDirectory() as place:
                os.environ.update(IPYTHONDIR=place, JUPYTER_RUNTIME_DIR=place, PYDEVD_DISABLE_FILE_VALIDATION="1")
                nbclient.NotebookClient(run, timeout=300, kernel_name="python3", resources={"metadata": {"path": place}}).execute()
            for before, now in zip(stored.cells, run.cells):
                with self.subTest(notebook=os.path.basename(path), source=now.source):
                    self.assertEqual(shown(now), shown(before))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
