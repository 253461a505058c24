#!/usr/bin/env python3
"""test_package.py BUILD CMAKE ZOO: the package laid out as the wheel has it, in an empty Python, with packages of others beside it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CMAKE, ZOO = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="redhost python ")
        cls.site = os.path.realpath(cls.temporary.name)
        shutil.copytree(os.path.join(ROOT, "sdk", "python", "redhost"), os.path.join(cls.site, "redhost"))
        cls.prefix = os.path.join(cls.site, "redhost", "_redhost")
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)
        # As pip writes it.
        command = os.path.join(cls.site, "bin", "redhost")
        write(command, f"#!{sys.executable} -Bs\nimport sys\nfrom redhost.__main__ import main\nsys.exit(main())\n")
        os.chmod(command, 0o755)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def python(self, *arguments, **environment):
        """Without the site's packages, and away from the sources."""
        kept = {name: os.environ[name] for name in ("HOME", "POCL_CACHE_DIR", "XDG_CACHE_HOME") if name in os.environ}
        environment = {**kept, "PATH": os.path.join(self.site, "bin") + ":/usr/bin:/bin", "PYTHONPATH": self.site,
                       "REDHOST_NO_MEASURE": "1", **environment}
        return subprocess.run([sys.executable, "-sSB", *arguments], cwd=self.site, env=environment, capture_output=True, text=True, check=False)

    def says(self, text, **environment):
        """What a program prints, which ends well."""
        done = self.python("-c", text, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip()

    def test_alone(self):
        done = self.python(os.path.join(HERE, "try_wheel.py"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\A  CPython [\d.]+: right\n\Z")

    def other(self, name, *plugins):
        """A package of somebody else, with these plugins in it."""
        folder = os.path.join(self.site, f"redhost_{name}")
        write(os.path.join(folder, "__init__.py"), "raise SystemExit('imported')")
        write(os.path.join(self.site, f"redhost_{name}-1.0.dist-info", "METADATA"), f"Metadata-Version: 2.1\nName: redhost-{name}\nVersion: 1.0\n")
        write(os.path.join(self.site, f"redhost_{name}-1.0.dist-info", "entry_points.txt"), f"[redhost.plugins]\n{name} = redhost_{name}\n")
        for plugin in plugins:
            os.makedirs(os.path.join(folder, "plugins-1"), exist_ok=True)
            shutil.copy(plugin, os.path.join(folder, "plugins-1"))

    def test_plugins_of_others(self):
        """They run from Python and from the command; nothing of their packages is imported; harm is a sentence."""
        self.other("mine", os.path.join(ZOO, "loading", "fine.so"))
        self.other("harm", os.path.join(ZOO, "loading", "crash_on_load.so"), os.path.join(ZOO, "results", "drops_last.so"))
        self.other("empty")
        self.assertEqual(self.says("import redhost; print(redhost.sum(b'abc', strategy='fine', check=True))"), "294")
        self.assertEqual(self.says("import redhost; print([s['name'] for s in redhost.strategies()].count('fine'))"), "1")
        self.assertIn(os.path.join("redhost_mine", "plugins-1", "fine.so"), self.python("-m", "redhost", "--info", "fine").stdout)
        self.assertIn("crash_on_load.so: crashed on load", self.wrong("crash_on_load"))
        self.assertRegex(self.wrong("drops_last"), "^WrongResult .*drops_last")

    def wrong(self, strategy):
        """The one sentence of an exception."""
        words = ("import redhost, array\ntry: redhost.sum(array.array('f', range(5000)), strategy=%r, check=True)\n"
                 "except redhost.Error as error: print(type(error).__name__, error)")
        return self.says(words % strategy)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
