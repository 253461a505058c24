"""test_new_plugin.py BUILD CMAKE CC LIBDIR: what an installed redhost --new-plugin writes builds, runs and is right; and
everything that it refuses, leaving nothing behind."""
import os
import pathlib
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
import unittest

from installed_tree import BUILD, CC, CMAKE, HERE, LIBDIR, Tree

ROOT = os.path.dirname(os.path.dirname(HERE))

SHORT = 3000
FILES = ["CMakeLists.txt", "Makefile", "README.md"]


def small_files():
    """Every file that the program writes ends early, as on a full disk, but not before half of the .c is written."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SHORT, SHORT))


def as_nobody():
    os.setgid(65534)
    os.setuid(65534)


class NewPlugin(Tree):
    def new(self, name, *directory, **how):
        """In this test's own folder."""
        return self.tried("--new-plugin", name, *directory, **{"cwd": self.folder, **how})

    def same_as_installed(self, path, name, *folder):
        """Each file there, but for the name, is that of the folder of templates."""
        for file in os.listdir(path):
            with open(os.path.join(self.prefix, "share", "redhost", *folder, file.replace(name, "example")), encoding="utf-8") as theirs, \
                 open(os.path.join(path, file), encoding="utf-8") as made:
                self.assertEqual(made.read(), theirs.read().replace("example", name), file)

    def setUp(self):
        self.folder = os.path.join(self.root, self.id().rsplit(".", 1)[-1])
        os.mkdir(self.folder)

    def made(self, name, *directory):
        """Its folder, and the next commands that redhost prints."""
        done = self.new(name, *directory)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        path = os.path.join(self.folder, *(directory or [name]))
        self.assertEqual(sorted(os.listdir(path)), sorted([*FILES, name + ".c", name + ".cl"]))
        first, empty, *commands = done.stdout.splitlines()
        self.assertEqual((first, empty), ((directory or [name])[0] + f": {name}.c {name}.cl CMakeLists.txt Makefile README.md", ""))
        return path, [command.strip() for command in commands]

    def right(self, name, *where):
        for op, kind in (("sum", "f32"), ("sum", "i8"), ("max", "u16"), ("argmin", "f64"), ("xor", "u32"), ("prod", "i64")):
            with self.subTest(op=op, type=kind):
                out = self.call([self.redhost, *where, "--run", name, "--op", op, "-t", kind, "-n", "10007", "--data", "hash"])
                self.assertRegex(out, r"(?m)^check .* ok$")

    def test_what_it_says_next_is_so(self):
        _, commands = self.made("mine")
        self.assertEqual([command.split(" ")[0] for command in commands][:1], ["cd"])
        script = "\n".join(command for command in commands if "--verify" not in command)
        out = self.shell(script)
        self.assertRegex(out, r"(?m)^check .* ok$")
        self.assertIn("--verify ./mine.so", commands[-1])
        self.call(["sh", "-ec", commands[0] + "\n" + commands[-1] + " --quick"], cwd=self.folder)

    def test_redhost_in_the_path_is_enough(self):
        """Then the next commands are short, and make needs no PKG_CONFIG_PATH."""
        path = os.path.dirname(self.redhost) + ":" + os.environ["PATH"]
        done = self.new("mine", env={"PATH": path})
        commands = [line.strip() for line in done.stdout.splitlines()[2:]]
        self.assertEqual(commands, ["cd mine", "make", "redhost --plugin ./mine.so --run mine", "redhost --verify ./mine.so"])
        self.shell("\n".join(commands[:3]) + "\nmake install", PATH=path)
        self.assertIn("mine", self.names())
        self.shell("cd mine\nmake uninstall clean")  # what compiles nothing needs no SDK
        self.assertNotIn("mine", self.names())
        with self.assertRaisesRegex(AssertionError, "pkg-config does not find redhost-plugin"):
            self.shell("cd mine\nmake")

    def test_another_redhost_in_the_path(self):
        """This redhost is not the one that was called."""
        os.mkdir(os.path.join(self.folder, "bin"))
        os.symlink("/bin/true", os.path.join(self.folder, "bin", "redhost"))
        done = self.new("mine", env={"PATH": os.path.join(self.folder, "bin") + ":" + os.path.dirname(self.redhost) + ":/usr/bin:/bin"})
        self.assertIn(shlex.quote(self.redhost) + " --verify ./mine.so", done.stdout)

    def shell(self, script, **env):
        return self.call(["sh", "-ec", f"unset PKG_CONFIG_PATH\nCC={shlex.quote(CC)}; export CC\n{script}"], cwd=self.folder, env=env)

    def test_by_make_for_the_user(self):
        path, _ = self.made("by-make")
        self.call(["make", "-C", path, f"CC={CC}", "CFLAGS=-O1 -Wall -Wextra -Wpedantic -Werror"])
        self.right("by-make", "--plugin", os.path.join(path, "by-make.so"))
        self.call(["make", "-C", path, f"CC={CC}", "install"])
        self.assertIn("by-make", self.names())
        self.right("by-make")
        again = self.new("by-make", "elsewhere")  # now it is a name that exists
        self.assertEqual(again.returncode, 2, again.stderr)
        self.assertIn("there is a strategy 'by-make' already", again.stderr)

    def test_by_cmake(self):
        path, _ = self.made("by_cmake", "some where")
        build = self.with_cmake(path, "-DCMAKE_C_FLAGS=-Wpedantic -Werror")
        self.right("by_cmake", "--plugin", os.path.join(build, "by_cmake.so"))
        self.call(["cmake", "--install", build, "--prefix", self.prefix])
        try:
            self.assertIn("by_cmake", self.names())
        finally:
            os.remove(os.path.join(self.prefix, LIBDIR, "redhost-1", "by_cmake.so"))

    def test_names_that_c_does_not_take(self):
        for name in ("3-way", "0", "a-b_c--d", "x" * 63):
            with self.subTest(name=name):
                path, _ = self.made(name)
                self.call(["make", "-C", path, f"CC={CC}", "CFLAGS=-O1 -Wall -Wextra -Werror"])
                self.call([self.redhost, "--plugin", os.path.join(path, name + ".so"), "--run", name, "-n", "1000"])
        self.call([self.redhost, "--plugin", os.path.join(self.with_cmake(os.path.join(self.folder, "3-way")), "3-way.so"),
                   "--run", "3-way", "-n", "1000"])

    def test_nothing_of_the_template_is_left(self):
        path, _ = self.made("mine")
        for name in os.listdir(path):
            self.assertNotIn("example", pathlib.Path(os.path.join(path, name)).read_text(encoding="utf-8"), name)

    def test_a_test_that_verifies(self):
        path, _ = self.made("mine")
        # All tests pass: see test_what_it_says_next_is_so.
        build = self.with_cmake(path, "-DREDHOST_VERIFY_OPTIONS=--quick;--include=V01,V41-V43")
        self.assertIn("verify.mine", self.call(["ctest", "--test-dir", build, "-N"]))
        out = self.call(["ctest", "--test-dir", build, "--verbose"])
        self.assertRegex(out, r"V42 +pass")
        # A wrong plugin fails it.
        text = pathlib.Path(os.path.join(path, "mine.cl")).read_text(encoding="utf-8")
        pathlib.Path(os.path.join(path, "mine.cl")).write_text(text.replace("i < n;", "i + 1 < n;"), encoding="utf-8")
        self.call(["cmake", "--build", build])
        with self.assertRaisesRegex(AssertionError, r"V42 +fail"):
            self.call(["ctest", "--test-dir", build, "--verbose"])
        pathlib.Path(os.path.join(path, "mine.cl")).write_text(text, encoding="utf-8")
        with open(os.path.join(path, "CMakeLists.txt"), "a", encoding="utf-8") as file:
            file.write("file(COPY mine.c DESTINATION ${CMAKE_CURRENT_BINARY_DIR})\n"
                       "redhost_add_plugin(NAME other SOURCES mine.c KERNELS mine.cl NO_INSTALL NO_VERIFY)\n")
        self.assertNotIn("verify.other", self.call(["ctest", "--test-dir", self.with_cmake(path), "-N"]))
        shutil.rmtree(build)  # a build without tests leaves the list of an earlier one
        quiet = self.with_cmake(path, "-DBUILD_TESTING=OFF")
        self.assertNotIn("verify.mine", self.call(["ctest", "--test-dir", quiet, "-N"]))

    def test_an_empty_directory_will_do(self):
        os.mkdir(os.path.join(self.folder, "empty"))
        self.made("mine", "empty")
        os.mkdir(os.path.join(self.folder, "here"))
        done = self.new("mine", ".", cwd=os.path.join(self.folder, "here"))
        self.assertEqual(done.returncode, 0, done.stderr)

    # ---- Refusals ----

    def tree(self):
        return sorted(os.path.join(at, name) for at, folders, names in os.walk(self.folder) for name in folders + names)

    def refused(self, code, words, *arguments, **how):
        before = self.tree()
        done = self.new(*arguments, **how)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Aredhost: [^\n]+\.\n\Z")
        self.assertIn(words, done.stderr)
        self.assertEqual(self.tree(), before, "something is left")

    def test_bad_names(self):
        for name in ("", "Mine", "_mine", "-mine", "mi ne", "mi/ne", "../mine", "m\u00efne", "mine.so", "x" * 64):
            with self.subTest(name=name):
                self.refused(2, "a name is made of", name)

    def test_directories_that_hold_files(self):
        os.mkdir(os.path.join(self.folder, "full"))
        with open(os.path.join(self.folder, "full", ".hidden"), "w", encoding="utf-8"):
            pass
        self.refused(6, "full holds files already", "mine", "full")

    def test_no_place(self):
        """tests/cli/golden/new-plugin.txt has the others."""
        self.refused(6, "Not a directory", "mine", "/dev/null")

    def test_no_place_to_write(self):
        """Files that end early: nothing half-written remains, neither in a new directory nor in an existing one."""
        self.assertGreater(os.path.getsize(os.path.join(self.prefix, "share", "redhost", "template", "example.c")), SHORT)
        self.refused(6, "File too large", "mine", preexec_fn=small_files)
        os.mkdir(os.path.join(self.folder, "empty"))
        self.refused(6, "File too large", "mine", "empty", preexec_fn=small_files)

    def test_a_full_disk(self):
        """A file system of 8 KiB, if this machine allows mounting one."""
        at = os.path.join(self.folder, "small")
        os.mkdir(at)
        tried = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "none", at], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            self.skipTest("cannot mount: " + tried.stderr.strip())
        try:
            self.refused(6, "No space left", "mine", "small/mine")
            self.refused(6, "No space left", "mine", "small")
        finally:
            subprocess.run(["umount", at], check=True)

    def test_a_directory_of_others(self):
        os.mkdir(os.path.join(self.folder, "theirs"), 0o555)
        if os.geteuid() == 0:
            for path in (self.root, self.prefix, self.folder):
                os.chmod(path, 0o755)
            without = {"REDHOST_NO_CACHE": "1"}  # nobody may look into root's cache
            self.refused(6, "Permission denied", "mine", "theirs", preexec_fn=as_nobody, env=without)
            self.refused(6, "Permission denied", "mine", preexec_fn=as_nobody, env=without)
        else:
            self.refused(6, "Permission denied", "mine", "theirs")

    def test_the_template_is_the_one_inside(self):
        """The program's template and share/redhost/template are the same."""
        path, _ = self.made("mine")
        template = os.path.join(self.prefix, "share", "redhost", "template")
        self.assertEqual(sorted(os.listdir(template)), sorted([*FILES, "example.c", "example.cl", "pyproject.toml"]))
        self.same_as_installed(path, "mine", "template")

    # ---- As a Python package ----

    def package(self, name):
        """What --python writes, and its pyproject.toml, read."""
        done = self.new(name, "--python")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        head, _, *commands = done.stdout.splitlines()
        self.assertEqual((head, commands[-1]), (f"{name}: {name}.c {name}.cl CMakeLists.txt Makefile README.md pyproject.toml", "  pip install ."))
        path = os.path.join(self.folder, name)
        with open(os.path.join(path, "pyproject.toml"), "rb") as file:
            return path, tomllib.load(file)

    def test_a_python_package(self):
        """Installed by hand as pip does it, it is found, and nothing of it is imported."""
        for name in ("mine", "3-way"):
            with self.subTest(name=name):
                path, project = self.package(name)
                (entry, folder), = project["project"]["entry-points"]["redhost.plugins"].items()
                build = project["tool"]["scikit-build"]
                self.assertEqual((entry, folder, project["project"]["name"]), (name, build["wheel"]["install-dir"], "redhost-" + name))
                self.assertTrue(folder.isidentifier(), folder)
                built = self.with_cmake(path, *(f"-D{key}={value}" for key, value in build["cmake"]["define"].items()))
                site = os.path.join(self.folder, "site-" + name)
                self.call([CMAKE, "--install", built, "--prefix", os.path.join(site, folder)])
                info = os.path.join(site, f"{folder}-1.0.dist-info")
                os.mkdir(info)
                for file, text in (("METADATA", f"Metadata-Version: 2.1\nName: redhost-{name}\nVersion: 1.0\n"),
                                   ("entry_points.txt", f"[redhost.plugins]\n{entry} = {folder}\n"), ("../" + folder + "/__init__.py", "raise OSError")):
                    pathlib.Path(os.path.join(info, file)).write_text(text, encoding="utf-8")
                found = self.call([sys.executable, "-B", "-c", "from redhost._plugins import folders; print(*folders())"],
                                  env={"PYTHONPATH": os.path.join(ROOT, "sdk", "python") + ":" + site}).strip()
                self.assertEqual(found, os.path.join(site, folder, "plugins-1"))
                self.assertIn(name, self.call([self.redhost, "--list", "-q", "--plugin-path", found]).split())
                self.assertIn(" ok", self.call([self.redhost, "--plugin-path", found, "--run", name, "-n", "1000"]))

    def test_names_that_pip_does_not_take(self):
        self.refused(2, "ends with a letter or a digit", "mine-", "--python")
        done = self.tried("--run", "serial", "--python")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--python", done.stderr)

    def new_operator(self, name, files):
        """What --new-operator writes is what is installed, and the command that it prints gives a result that is right."""
        done = self.tried("--new-operator", name, cwd=self.folder)
        head, _, command, *more = done.stdout.splitlines()
        self.assertEqual((head, done.stderr), (".: " + " ".join(file.replace("example", "mine") for file in files), ""))
        self.same_as_installed(self.folder, "mine", "operator", *(["code"] if name.endswith(".cl") else []))
        self.assertRegex(self.call(["sh", "-ec", command], cwd=self.folder), r"(?m)^check .* ok$")
        self.assertEqual(len(more), 0 if name.endswith(".cl") else 1)
        for verify in more:
            self.assertRegex(self.call(["sh", "-ec", verify], cwd=self.folder), r"(?m)^mine +f32 +ok$")
        self.assertIn("mine", self.call([self.redhost, "--ops", "-q", "--plugin-path", self.folder]).split())

    def test_new_transport(self):
        """What --new-transport writes is what is installed; it builds, joins ranks, keeps every promise, and is found."""
        done = self.tried("--new-transport", "my-net", cwd=self.folder)
        self.assertTrue(done.stdout.startswith("my-net: my-net.c run-my-net CMakeLists.txt Makefile README.md\n"), done.stdout)
        path = os.path.join(self.folder, "my-net")
        self.same_as_installed(path, "my-net", "transport")
        script = [line.strip() for line in done.stdout.splitlines()[2:]]
        out = self.shell("\n".join(script).replace("make\n", "make CFLAGS='-O1 -Wall -Wextra -Wpedantic -Werror'\n"))
        self.assertRegex(out, r"(?m)^ranks      3 on 1 host, transport my-net")
        self.assertRegex(out, r"(?m)^[0-9]+ tests in .*: [0-9]+ passed, 0 failed$")
        self.call(["make", "-C", path, f"CC={CC}", "install"])
        self.assertIn("my-net", self.call([self.redhost, "--list", "--transports", "-q"]).split())
        self.assertIn("there is a transport 'my-net' already", self.no_transport("my-net", "elsewhere"))
        self.call(["make", "-C", path, "uninstall"])
        self.assertNotIn("my-net", self.call([self.redhost, "--list", "--transports", "-q"]).split())
        build = self.with_cmake(path, "-DCMAKE_C_FLAGS=-Wpedantic -Werror")
        self.call(["ctest", "--test-dir", build, "--output-on-failure"])

    def no_transport(self, *words):
        done = self.tried("--new-transport", *words, cwd=self.folder)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_transports_that_are_refused(self):
        for name in ("My Net", "", "x" * 32, "a/b"):
            self.assertIn("a name is made of", self.no_transport(name))
        self.assertIn("there is a transport 'mpi' already, in /", self.no_transport("mpi"))
        self.assertIn("there is a transport 'local' already, which comes with redhost", self.no_transport("local"))
        self.assertIn("holds files already", self.no_transport("fine", ".."))
        self.assertEqual(os.listdir(self.folder), [])

    def test_new_operator(self):
        self.new_operator("mine", ["example.op.json"])

    def test_new_operator_in_opencl_c(self):
        self.new_operator("mine.cl", ["example.op.json", "example.cl"])

    def test_from_the_build_tree(self):
        printed = self.call([os.path.join(BUILD, "bin", "redhost"), "--new-plugin", "mine"], cwd=self.folder)
        commands = [line.strip() for line in printed.splitlines()[2:] if "--verify" not in line]
        out = self.call(["sh", "-ec", "unset PKG_CONFIG_PATH\n" + "\n".join(commands)], cwd=self.folder)
        self.assertRegex(out, r"(?m)^check .* ok$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
