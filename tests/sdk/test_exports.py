"""test_exports.py HEADER LIBRARY PLUGIN...: the library exports what redhost.h declares and nothing else, a plugin its one
constant."""
import re
import subprocess
import sys
import unittest

HEADER, LIBRARY, *PLUGINS = sys.argv[1:]


def exported(path):
    """The dynamic symbols that a shared object defines, without their versions."""
    out = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1].split("@")[0] for line in out.splitlines()]


class Exports(unittest.TestCase):
    def test_library(self):
        with open(HEADER, encoding="utf-8") as file:
            code = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        declared = re.findall(r"^(?:const )?\w+ \*?(rh_\w+)\(", code, re.MULTILINE)
        self.assertGreater(len(declared), 10)
        self.assertEqual(sorted(exported(LIBRARY)), sorted(declared))

    def test_plugins(self):
        self.assertTrue(PLUGINS)
        for plugin in PLUGINS:
            with self.subTest(plugin=plugin):
                self.assertEqual(exported(plugin), ["redhost_plugin_v1"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
