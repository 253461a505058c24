"""test_installed.py BUILD CMAKE CC LIBDIR: an installed tree, moved away, still runs and still builds plugins and programs."""
import glob
import json
import os
import pathlib
import shlex
import shutil
import sys
import unittest

from installed_tree import BUILD, CC, HERE, LIBDIR, Tree


class Installed(Tree):
    def template(self, name):
        """A copy of the installed template."""
        copy = os.path.join(self.root, name)
        shutil.copytree(os.path.join(self.prefix, "share", "redhost", "template"), copy)
        return copy

    def drop_and_run(self, built, directory):
        """Puts the plugin into a plugin path: it is listed, it runs, and its answer is right."""
        os.makedirs(directory)
        shutil.copy(built, directory)
        path = {"REDHOST_PLUGIN_PATH": directory}
        self.assertEqual(sorted(self.names() + ["example"]), sorted(self.names(**path)))
        rows = [line for line in self.call([self.redhost, "--list"], env=path).splitlines() if line.split()[:1] == ["example"]]
        self.assertEqual(len(rows), 1)
        self.assertIn("one work-group strides over each segment", rows[0])
        for op in ("sum", "max", "argmax"):
            problem = ["--op", op, "--type", "i32", "--data", "hash", "-n", "100003", "-q"]
            self.assertEqual(self.call([self.redhost, "--run", "example", *problem], env=path),
                             self.call([self.redhost, "--run", "serial", *problem]))

    def test_nothing_points_back(self):
        for directory, _, names in os.walk(self.prefix):
            for name in names:
                if name.endswith((".cmake", ".pc")):
                    text = pathlib.Path(os.path.join(directory, name)).read_text(encoding="utf-8")
                    for path in (BUILD, os.path.join(self.root, "installed"), os.path.dirname(os.path.dirname(HERE))):
                        self.assertNotIn(path, text, name)

    def test_runs(self):
        self.assertIn("serial", self.names())
        listed = json.loads(self.call([self.redhost, "--list", "--json"]))["strategies"]
        self.assertEqual({os.path.basename(strategy["plugin"]) for strategy in listed}, set(os.listdir(self.plugins)))
        out = self.call([self.redhost, "--run", "serial", "-n", "1000"])
        self.assertRegex(out, r"(?m)^check .* ok$")

    def test_links_no_opencl(self):
        """It is opened when a device is first looked for: what is installed starts where there is none."""
        objects = [self.redhost]
        for directory, _, names in os.walk(os.path.join(self.prefix, LIBDIR)):
            objects += [os.path.join(directory, name) for name in names if ".so" in name]
        self.assertGreater(len(objects), len(self.names()))
        for path in objects:
            needed = self.call(["readelf", "-d", path])
            self.assertIn("NEEDED", needed)
            self.assertNotIn("libOpenCL", needed, path)

    def test_sources_are_named(self):
        """--info says where the text of a strategy is, for each that is installed and for no other."""
        for name in self.names():
            strategy = json.loads(self.call([self.redhost, "--info", name, "--json"]))["strategies"][0]
            self.assertTrue(strategy["sources"], name)
            text = self.call([self.redhost, "--info", name])
            for path in strategy["sources"]:
                self.assertIn(path, text)
                self.assertTrue(os.path.isfile(path), path)
                self.assertTrue(path.startswith(os.path.join(self.prefix, "share", "redhost")), path)
        sources = json.loads(self.call([self.redhost, "--info", "cascade", "--json"]))["strategies"][0]["sources"]
        self.assertEqual([os.path.basename(path) for path in sources], ["cascade.c", "cascade.cl"])

    def test_draws(self):
        """The scripts that draw have moved, too."""
        page = os.path.join(self.root, "r.html")
        self.call([self.redhost, "--bench", "-s", "serial", "-n", "1000", "--quick", "--export=" + page])
        self.assertIn("</html>", pathlib.Path(page).read_text(encoding="utf-8"))

    def test_deleting_a_plugin_deletes_its_row(self):
        file = os.path.join(self.plugins, "cascade.so")
        before = self.names()
        os.rename(file, file + ".away")
        try:
            self.assertEqual(self.names(), [name for name in before if name != "cascade"])
            self.assertIn("cascade", before)
        finally:
            os.rename(file + ".away", file)

    def test_plugin_by_make(self):
        copy = self.template("by-make")
        # A kernel with everything that breaks quoting, and without a final newline.
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
        self.assertEqual(self.call([os.path.join(build, "sum")]), "500500\n500500 500499\n")

    def test_program_by_pkg_config(self):
        flags = self.call(["sh", "-c", "pkg-config --cflags --libs redhost"]).strip()
        program = os.path.join(self.root, "sum-pkg-config")
        self.call(["sh", "-c", f'{CC} -std=c11 -Wall -Wextra -Werror -o "$1" "$2" {flags}', "-", program,
                   os.path.join(HERE, "sum", "sum.c")])
        self.assertEqual(self.call([program], env={"LD_LIBRARY_PATH": self.lib}), "500500\n500500 500499\n")

    def test_fast_math_is_refused(self):
        with self.assertRaisesRegex(AssertionError, "flush-to-zero"):
            self.with_cmake(self.template("fast-math"), "-DCMAKE_C_FLAGS=-ffast-math")

    def change(self, path, old, new):
        """Replaces text that must be present; returns the original text."""
        text = pathlib.Path(path).read_text(encoding="utf-8")
        self.assertIn(old, text)
        pathlib.Path(path).write_text(text.replace(old, new), encoding="utf-8")
        return text

    def test_versions(self):
        """A later minor version is accepted; an earlier one and another major version are not."""
        version = self.call([self.redhost, "--version"]).split()[1]
        major, minor, _ = map(int, version.split("."))
        file_name = os.path.join(self.lib, "cmake", "redhost", "redhost-config-version.cmake")
        before = self.change(file_name, f'"{version}"', f'"{major}.{minor + 1}.0"')
        try:
            self.with_cmake(self.template("content"))
        finally:
            self.change(file_name, f'"{major}.{minor + 1}.0"', f'"{version}"')
        self.assertEqual(pathlib.Path(file_name).read_text(encoding="utf-8"), before)
        for wanted in (f"{major}.{minor + 1}", f"{major + 1}.0"):
            source = self.template("wants-" + wanted)
            self.change(os.path.join(source, "CMakeLists.txt"), f"redhost {major}.{minor} ", f"redhost {wanted} ")
            with self.assertRaisesRegex(AssertionError, "compatible"):
                self.with_cmake(source)

    def test_pkg_config_variables(self):
        ask = ["pkg-config", "redhost-plugin"]
        plugins, = shlex.split(self.call([*ask, "--variable=plugindir"]))
        self.assertEqual(os.path.realpath(plugins), self.plugins)
        self.assertEqual(self.call([*ask, "--variable=abi"]), "1.2\n")

    def test_zoo(self):
        """The wrong plugins' sources, each of which an author can build with only the installed files."""
        zoo = os.path.join(self.prefix, "share", "redhost", "zoo")
        self.assertIn("README.md", os.listdir(zoo))
        source, = glob.glob(os.path.join(zoo, "**", "wrong_magic.c"), recursive=True)
        built = os.path.join(self.root, "wrong_magic.so")
        self.call([CC, "-shared", "-fPIC", "-D_GNU_SOURCE", "-I", os.path.join(self.prefix, "include"), "-I", zoo, "-o", built, source])
        self.assertIn("not loaded", self.call([self.redhost, "--plugin", built, "--list"]))

    def test_pages(self):
        for path in ("man/man1/redhost.1", "bash-completion/completions/redhost", "zsh/site-functions/_redhost",
                     "fish/vendor_completions.d/redhost.fish"):
            self.assertIn("new", pathlib.Path(os.path.join(self.prefix, "share", path)).read_text(encoding="utf-8"), path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
