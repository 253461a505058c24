"""test_installed.py BUILD CMAKE CC LIBDIR: an installed tree, moved away, still runs and still builds plugins and programs."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CMAKE, CC, LIBDIR = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
# A name that breaks whoever forgets to quote.
MOVED_TO = "moved here"


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="redhost-sdk-")
        cls.root = os.path.realpath(cls.temporary.name)
        cls.prefix = os.path.join(cls.root, MOVED_TO)
        cls.lib = os.path.join(cls.prefix, LIBDIR)
        cls.plugins = os.path.join(cls.lib, "redhost-1")
        cls.redhost = os.path.join(cls.prefix, "bin", "redhost")
        # Nobody's plugins but the tree's, and no way back to the build.
        cls.environment = {name: value for name, value in os.environ.items()
                           if name not in ("DESTDIR", "LD_LIBRARY_PATH", "REDHOST_PLUGIN_PATH", "MAKEFLAGS", "MFLAGS")}
        cls.environment.update(XDG_DATA_HOME=os.path.join(cls.root, "data"),
                               PKG_CONFIG_PATH=os.path.join(cls.lib, "pkgconfig"))
        before = os.path.join(cls.root, "installed")
        cls.call([CMAKE, "--install", BUILD, "--prefix", before])
        os.rename(before, cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def call(cls, command, **more):
        """Runs a command that must succeed; what it printed."""
        result = subprocess.run(command, env={**cls.environment, **more.pop("env", {})}, capture_output=True, text=True,
                                check=False, **more)
        if result.returncode != 0:
            raise AssertionError(f"{command} exited with {result.returncode}:\n{result.stdout}{result.stderr}")
        return result.stdout

    def names(self, **env):
        return self.call([self.redhost, "--list", "-q"], env=env).split()

    def template(self, name):
        """A copy of the installed template."""
        copy = os.path.join(self.root, name)
        shutil.copytree(os.path.join(self.prefix, "share", "redhost", "template"), copy)
        return copy

    def with_cmake(self, source, *options):
        build = source + "-build"
        self.call([CMAKE, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCMAKE_C_COMPILER={CC}", *options])
        self.call([CMAKE, "--build", build])
        return build

    def drop_and_run(self, built, directory):
        """Puts the plugin into a plugin path; its row is there, it runs, and its answer is right."""
        os.makedirs(directory)
        shutil.copy(built, directory)
        path = {"REDHOST_PLUGIN_PATH": directory}
        self.assertEqual(sorted(self.names() + ["example"]), sorted(self.names(**path)))
        rows = [line for line in self.call([self.redhost, "--list"], env=path).splitlines() if line.split()[:1] == ["example"]]
        self.assertEqual(len(rows), 1)
        self.assertIn("one work-group strides over the input", rows[0])
        for op in ("sum", "max", "argmax"):
            problem = ["--op", op, "--type", "i32", "--data", "hash", "-n", "100003", "-q"]
            self.assertEqual(self.call([self.redhost, "--run", "example", *problem], env=path),
                             self.call([self.redhost, "--run", "serial", *problem]))

    def test_nothing_points_back(self):
        for directory, _, names in os.walk(self.prefix):
            for name in names:
                if name.endswith((".cmake", ".pc")):
                    with open(os.path.join(directory, name), encoding="utf-8") as file:
                        text = file.read()
                    for path in (BUILD, os.path.join(self.root, "installed"), os.path.dirname(os.path.dirname(HERE))):
                        self.assertNotIn(path, text, name)

    def test_runs(self):
        self.assertIn("serial", self.names())
        self.assertEqual(len(self.names()), len(os.listdir(self.plugins)))
        out = self.call([self.redhost, "--run", "serial", "-n", "1000"])
        self.assertRegex(out, r"(?m)^check .* ok$")

    def test_deleting_a_plugin_deletes_its_row(self):
        file = os.path.join(self.plugins, "cascade.so")
        before = self.names()
        os.rename(file, file + ".away")
        try:
            self.assertEqual(self.names(), [name for name in before if name != "cascade"])
            self.assertIn("cascade", before)
        finally:
            os.rename(file + ".away", file)

    def test_plugin_by_cmake(self):
        build = self.with_cmake(self.template("by-cmake"))
        self.drop_and_run(os.path.join(build, "example.so"), os.path.join(self.root, "path-cmake"))
        prefix = os.path.join(self.root, "prefix-cmake")
        self.call([CMAKE, "--install", build, "--prefix", prefix])
        self.assertTrue(os.path.exists(os.path.join(prefix, LIBDIR, "redhost-1", "example.so")))

    def test_plugin_by_make(self):
        copy = self.template("by-make")
        # A kernel with everything that quoting breaks on, and no final newline.
        with open(os.path.join(copy, "example.cl"), "ab") as file:
            file.write('/* )" \\ %s ; ${X} $(x) `x` \r\n \u00b5 */'.encode())
        self.call(["make", "-C", copy, f"CC={CC}", "CFLAGS=-O1 -Wall -Wextra -Werror"])
        self.drop_and_run(os.path.join(copy, "example.so"), os.path.join(self.root, "path-make"))
        self.call(["make", "-C", copy, f"CC={CC}", "install"])
        self.assertIn("example", self.names())
        shutil.rmtree(self.environment["XDG_DATA_HOME"])

    def test_program_by_cmake(self):
        source = os.path.join(self.root, "sum-cmake")
        shutil.copytree(os.path.join(HERE, "sum"), source)
        build = self.with_cmake(source)
        self.assertEqual(self.call([os.path.join(build, "sum")]), "500500\n")

    def test_program_by_pkg_config(self):
        flags = self.call(["sh", "-c", "pkg-config --cflags --libs redhost"]).strip()
        program = os.path.join(self.root, "sum-pkg-config")
        self.call(["sh", "-c", f'{CC} -std=c11 -Wall -Wextra -Werror -o "$1" "$2" {flags}', "-", program,
                   os.path.join(HERE, "sum", "sum.c")])
        self.assertEqual(self.call([program], env={"LD_LIBRARY_PATH": self.lib}), "500500\n")

    def test_fast_math_is_refused(self):
        with self.assertRaisesRegex(AssertionError, "flush-to-zero"):
            self.with_cmake(self.template("fast-math"), "-DCMAKE_C_FLAGS=-ffast-math")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
