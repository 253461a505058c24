"""test_deb.py BUILD CPACK VERSION: the Debian packages of this build, by what dpkg-deb says of them."""
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, CPACK, VERSION = sys.argv[1:]


def call(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@unittest.skipUnless(shutil.which("dpkg-deb") and shutil.which("dpkg-shlibdeps"), "no dpkg-dev")
class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.mkdtemp(prefix="redhost-deb-")
        cls.addClassCleanup(shutil.rmtree, place)
        # What is there is packed as it is: with make, CPack would look whether all of it is up to date.
        call(CPACK, "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-D", "CPACK_CMAKE_GENERATOR=Ninja", "-B", place)
        cls.fields, cls.trees = {}, {}
        for name in ("redhost", "redhost-mpi"):
            (file,) = [f for f in os.listdir(place) if f.startswith(f"{name}_{VERSION}-1_") and f.endswith(".deb")]
            file = os.path.join(place, file)
            lines = call("dpkg-deb", "--field", file).splitlines()
            cls.fields[name] = dict(line.split(": ", 1) for line in lines if line.strip() and not line.startswith(" "))
            cls.trees[name] = os.path.join(place, name)
            call("dpkg-deb", "--raw-extract", file, cls.trees[name])

    def path(self, package, *parts):
        return os.path.join(self.trees[package], *parts)

    def files(self, package):
        top = self.path(package, "usr")
        return {os.path.relpath(os.path.join(directory, name), top) for directory, _, names in os.walk(top) for name in names}

    def test_fields(self):
        main, mpi = self.fields["redhost"], self.fields["redhost-mpi"]
        for fields in (main, mpi):
            self.assertEqual(fields["Version"], VERSION + "-1")
            self.assertRegex(fields["Maintainer"], r"\S <\S+@\S+>$")
            self.assertIn("libc6 (>= ", fields["Depends"])
            self.assertNotIn("OpenCL", fields["Depends"] + fields.get("Suggests", ""))
        self.assertRegex(main["Depends"], "libjansson4.*|libffi")
        self.assertEqual(main["Recommends"], "ocl-icd-libopencl1 | libopencl1, pocl-opencl-icd | opencl-icd")
        self.assertIn("python3-matplotlib", main["Suggests"])
        self.assertIn(f"redhost (= {VERSION}-1)", mpi["Depends"])

    def test_files(self):
        main, mpi = self.files("redhost"), self.files("redhost-mpi")
        self.assertFalse(main & mpi)
        for wanted in ("bin/redhost", r"lib/(.+/)?libredhost\.so\.0", r"lib/(.+/)?redhost-1/cascade\.so", "include/redhost/plugin.h",
                       r"lib/(.+/)?pkgconfig/redhost-plugin\.pc", "share/redhost/kernels/cascade.cl", "share/man/man1/redhost.1.gz",
                       "share/bash-completion/completions/redhost", "share/doc/redhost/copyright", "share/doc/redhost/changelog.Debian.gz"):
            self.assertTrue(any(re.fullmatch(wanted, path) for path in main), wanted)
        self.assertFalse([path for path in main if "transports-1" in path])
        rest = {path for path in mpi if not path.startswith("share/doc/redhost-mpi/")}
        self.assertEqual({os.path.basename(path) for path in rest}, {"mpi_openmpi.so", "mpi_mpich.so"})
        self.assertFalse([path for path in main | mpi if path.endswith((".o", ".pyc", ".md.in"))])

    def test_papers(self):
        for package in self.trees:
            papers = self.path(package, "usr", "share", "doc", package)
            with open(os.path.join(papers, "copyright"), encoding="utf-8") as file:
                text = file.read()
            self.assertRegex(text, r"(?s)^Format: .*\nFiles: \*\nCopyright: .*\nLicense: Expat\n Permission is .* SOFTWARE\.\n$")
            self.assertNotIn("\n\n\n", text)
            with gzip.open(os.path.join(papers, "changelog.Debian.gz"), "rt", encoding="utf-8") as file:
                self.assertIn(f"redhost ({VERSION}-1) ", file.readline())
            with open(self.path(package, "DEBIAN", "md5sums"), encoding="utf-8") as file:
                sums = dict(reversed(line.split(None, 1)) for line in file.read().splitlines())
            self.assertEqual({path[len("usr/"):] for path in sums},
                             {path for path in self.files(package) if not os.path.islink(self.path(package, "usr", path))})

    def test_stripped_and_private(self):
        """Debugging information is left out, and nobody may write but root."""
        for package, tree in self.trees.items():
            for path in self.files(package):
                full = os.path.join(tree, "usr", path)
                if os.path.islink(full):
                    continue
                self.assertEqual(os.stat(full).st_mode & 0o022, 0, path)
                with open(full, "rb") as file:
                    is_elf = file.read(4) == b"\x7fELF"
                if is_elf:
                    self.assertNotIn(".debug_info", call("readelf", "-WS", full), path)

    def test_runs(self):
        program = self.path("redhost", "usr", "bin", "redhost")
        names = call(program, "--list", "-q").split()
        plugins = [path for path in self.files("redhost") if re.search(r"/redhost-1/\w+\.so$", path)]
        self.assertGreaterEqual(len(names), len(plugins))
        self.assertIn("cascade", names)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
