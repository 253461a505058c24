"""test_abi_binary.py REDHOST: plugins that were built when ABI 1.0 and 1.2 were frozen still load and give right answers."""
import hashlib
import os
import pathlib
import platform
import re
import struct
import subprocess
import sys
import tempfile
import unittest

REDHOST = sys.argv[1]
TESTS = os.path.dirname(os.path.abspath(__file__))


def kept(version):
    """The binary of a version."""
    return os.path.join(TESTS, f"abi-{version}", f"abi_{version.replace('.', '_')}-x86_64.so")


PLUGIN = kept("1.0")
DEVICE, HOST = "abi_1_0", "abi_1_0_host"
PROBLEMS = [("sum", "f32"), ("sum", "i8"), ("prod", "f64"), ("max", "f16"), ("argmin", "f32"), ("argmax", "u64"), ("xor", "u16"),
            ("affine", "u64")]


@unittest.skipUnless(platform.machine() == "x86_64", f"the plugin is for x86_64, this machine is {platform.machine()}")
class Kept(unittest.TestCase):
    version = "1.0"

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="redhost-abi-")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.environment = {name: value for name, value in os.environ.items() if name != "REDHOST_PLUGIN_PATH"}
        cls.environment.update(XDG_DATA_HOME=os.path.join(cls.temporary.name, "data"))

    def redhost(self, *words, plugin=None):
        return subprocess.run([REDHOST, "--plugin", plugin or kept(self.version), *words], env=self.environment, capture_output=True, text=True, check=False)

    def right(self, *words):
        """The program itself compares with the exact reference: 0 is right."""
        done = self.redhost("--run", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^check .* ok$")

    def verified(self, test):
        """By what --verify asks of descriptors, structs and answers; both strategies pass the test."""
        done = self.redhost("--verify", "--quick", kept(self.version), "--include", "V16-V20,V29,V38,V39,V41-V43,V47,V65-V68,V85")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(re.findall(rf"(?m)^  {test}  pass ", done.stdout)), 2)

    def test_it_is_the_one_of_then(self):
        with open(kept(self.version), "rb") as file, open(os.path.join(TESTS, f"abi-{self.version}", "README.md"), encoding="utf-8") as readme:
            self.assertIn(hashlib.sha256(file.read()).hexdigest(), readme.read())


class Binary(Kept):
    def test_listed(self):
        done = self.redhost("--list", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual({DEVICE, HOST}, set(done.stdout.split()))

    def test_answers(self):
        for op, kind in PROBLEMS:
            for name in (DEVICE, HOST):
                with self.subTest(strategy=name, op=op, type=kind):
                    self.right(name, "--op", op, "-t", kind, "-n", "100003", "--data", "units" if op == "prod" else "hash")

    def test_parameters(self):
        self.right(DEVICE, "-n", "10007", "-p", "group=32", "-p", "groups=7", "-p", "finish=device")
        done = self.redhost("--run", DEVICE, "-n", "10007", "-p", "group=33")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_users_operators(self):
        """1.0 has functions without `user`: the host offers what calls none of the others."""
        magnitude = ("--map", "x*x")
        self.right(DEVICE, "-n", "10007", *magnitude)
        self.right(DEVICE, "-n", "10007", "-t", "i32", "--reduce", "a ^ b", "--identity", "0", "--commutes", "-p", "finish=device")
        for words in ((HOST, *magnitude), (HOST, "--reduce", "a ^ b", "--identity", "0", "--commutes"),
                      (DEVICE, "--reduce", "a ^ b", "--identity", "0", "--commutes")):
            with self.subTest(words=words):
                done = self.redhost("--run", words[0], "-n", "1007", "-t", "i32", *words[1:])
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertRegex(done.stderr, "is an operator of a user's, and %s calls the functions of built-in ones" % words[0])

    def test_nothing_to_reduce(self):
        for name in (DEVICE, HOST):
            self.assertEqual(self.redhost("--run", name, "-n", "0", "-q").stdout, "0\n")

    def test_verified(self):
        self.verified("V42")

    def test_another_major_is_refused(self):
        """The tests above can fail."""
        image = bytearray(pathlib.Path(PLUGIN).read_bytes())
        at = image.index(struct.pack("<I", 0x31504852))
        self.assertEqual(struct.unpack_from("<HH", image, at + 8), (1, 0))
        struct.pack_into("<H", image, at + 8, 2)
        other = os.path.join(self.temporary.name, "other.so")
        pathlib.Path(other).write_bytes(image)
        done = self.redhost("--run", HOST, "-n", "10", plugin=other)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("ABI 2", done.stderr)


class Binary12(Kept):
    """Segments in every layout, operators of users, the canonical order."""
    version = "1.2"

    def segments(self, name, heading, *words):
        """In this process."""
        done = self.redhost("--isolate=never", "--run", name, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(heading, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^check +\d+ segments.* ok$")

    def test_answers(self):
        for op, kind in PROBLEMS:
            for name in ("abi_1_2", "abi_1_2_host"):
                with self.subTest(strategy=name, op=op, type=kind):
                    self.right(name, "--op", op, "-t", kind, "-n", "10003", "--data", "units" if op == "prod" else "hash")
        self.right("abi_1_2_canonical", "-n", "100003")
        self.right("abi_1_2", "-n", "10007", "-p", "group=32", "-p", "groups=1")

    def test_segments(self):
        for op, kind in (("sum", "f32"), ("argmax", "i16"), ("affine", "u64")):
            for name in ("abi_1_2", "abi_1_2_host"):
                with self.subTest(strategy=name, op=op):
                    self.segments(name, "one run for all", "-n", "12000", "--length", "8", "--op", op, "-t", kind)
        self.segments("abi_1_2_canonical", "one run for each", "-n", "12000", "--length", "4000")

    def test_layouts(self):
        """Columns and offsets, from files that are made here."""
        header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }"
        for name, kind, shape, data in (("x.npy", "<i4", "(30, 40, 10)", struct.pack("<12000i", *range(12000))),
                                        ("o.npy", "<i8", "(5,)", struct.pack("<5q", 0, 3, 3, 700, 12000))):
            text = header % (kind, shape)
            text += " " * (63 - (10 + len(text)) % 64) + "\n"
            with open(os.path.join(self.temporary.name, name), "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data)
        at = os.path.join(self.temporary.name, "")
        for words, by_host in ((("--axis", "0"), "one run for each"), (("--axis", "1"), "one run for each"), (("--axis", "2"), "one run for all"),
                               (("--segments", at + "o.npy"), "one run for all")):
            for name, runs in (("abi_1_2", "one run for all"), ("abi_1_2_host", by_host)):
                with self.subTest(strategy=name, words=words):
                    self.segments(name, runs, "-i", at + "x.npy", *words)

    def test_users_operators(self):
        for name in ("abi_1_2", "abi_1_2_host"):
            self.right(name, "-n", "10007", "--op", "meanvar")
            self.right(name, "-n", "10007", "--map", "x*i")
            self.right(name, "-n", "1007", "-t", "i32", "--reduce", "a ^ b", "--identity", "0", "--commutes")
        self.segments("abi_1_2", "one run for all", "-n", "12000", "--length", "100", "--op", "meanvar")

    def test_verified(self):
        self.verified("V85")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
