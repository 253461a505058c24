"""test_exports.py LIBRARY PLUGIN...: what the shared objects export: rh_* from the library, the one constant from a plugin."""
import subprocess
import sys
import unittest

LIBRARY, *PLUGINS = sys.argv[1:]


def exported(path):
    """The dynamic symbols that a shared object defines, without their versions."""
    out = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return [line.split()[-1].split("@")[0] for line in out.splitlines()]


class Exports(unittest.TestCase):
    def test_library(self):
        names = exported(LIBRARY)
        self.assertEqual([name for name in names if not name.startswith("rh_")], [])
        for name in ("rh_open", "rh_reduce", "rh_prepare", "rh_prepared_run", "rh_close", "rh_version"):
            self.assertIn(name, names)

    def test_plugins(self):
        self.assertTrue(PLUGINS)
        for plugin in PLUGINS:
            with self.subTest(plugin=plugin):
                self.assertEqual(exported(plugin), ["redhost_plugin_v1"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
